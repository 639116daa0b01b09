from lab.legs import Identity, Peer, consumer_leg, identify, producer_leg, prompt_length, tokens_in

GIVEN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
PRODUCER = Peer(engine_id="P", url="http://p", side_host="127.0.0.1", side_port=5600, tp=2)
IDENTITY = Identity(request_id="r1", traceparent=GIVEN)
BODY = {"prompt": [5, 6, 7], "max_tokens": 9, "stream": True}


def test_the_clients_ids_are_kept() -> None:
    identity = identify({"X-Request-Id": "r1", "traceparent": GIVEN})
    assert identity == IDENTITY
    assert identity.trace_id == "0af7651916cd43dd8448eb211c80319c"


def test_ids_are_made_where_the_client_gives_none() -> None:
    first, second = identify({}), identify({})
    assert first.request_id != second.request_id
    assert first.trace_id != second.trace_id


def test_a_malformed_trace_context_is_replaced() -> None:
    nil = "00-" + 32 * "0" + "-b7ad6b7169203331-01"
    assert identify({"traceparent": nil}).traceparent != nil


def test_the_producer_makes_one_token_and_keeps_the_blocks() -> None:
    leg = producer_leg(BODY)
    assert leg["max_tokens"] == 1
    assert leg["kv_transfer_params"]["do_remote_decode"] is True
    assert "stream" not in leg


def test_the_consumer_is_told_who_has_the_blocks() -> None:
    leg = consumer_leg(BODY, IDENTITY, PRODUCER)
    assert leg["max_tokens"] == 9
    assert leg["kv_transfer_params"] == {
        "do_remote_decode": False,
        "do_remote_prefill": True,
        "remote_engine_id": "P",
        "remote_request_id": "r1",
        "remote_block_ids": [],
        "remote_host": "127.0.0.1",
        "remote_port": 5600,
        "tp_size": 2,
    }


def test_only_a_prompt_of_token_ids_has_a_known_length() -> None:
    assert prompt_length(BODY) == 3
    assert prompt_length({"prompt": "words"}) is None


def test_tokens_are_counted_in_whole_answers_and_in_streams() -> None:
    assert tokens_in(b'{"usage": {"completion_tokens": 8}}') == 8
    assert tokens_in(b'data: {"a":1}\n\ndata: {"a":2}\n\ndata: [DONE]\n\n') == 2
    assert tokens_in(b"not found") is None
