"""The receiver, as OpenTelemetry's own exporters meet it over real sockets."""

import gzip
import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from kvtrace.errors import ReceiverError
from kvtrace.signals.logs import Log, SpanEvent, resource_of
from kvtrace.sources.otlp.access import Access
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.otlp.receiver import Receiver
from tests.integration.receiving import (
    METRICS,
    Papers,
    arrived,
    export,
    receiving,
    records,
)
from tests.unit.sources.otlp.requests import foreign_logs, logs, record

SENT = record()


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, which makes the certificates")
    return Papers(tmp_path_factory.mktemp("papers"))


@pytest.fixture(autouse=True)
def only_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle of certificates in the environment would win over the one that a test gives."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


def log_exporter(receiver: Receiver, protocol: str, packed: bool) -> Any:
    if protocol == "grpc":
        compression = grpc.Compression.Gzip if packed else grpc.Compression.NoCompression
        return GrpcLogs(endpoint=str(receiver.grpc), insecure=True, compression=compression)
    how = Compression.Gzip if packed else Compression.NoCompression
    return HttpLogs(endpoint=f"http://{receiver.http}/v1/logs", compression=how)


def emit(exporter: Any) -> None:
    """The event as any program would tell it through OpenTelemetry's SDK."""
    resource = dict(resource_of(SENT.process, SENT.engine, SENT.clock, {}).attributes)
    provider = LoggerProvider(Resource(resource), shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    log = Log(SENT, SENT.wall)
    provider.get_logger("kvtrace").emit(
        LogRecord(timestamp=log.wall, event_name=log.name, attributes=log.attributes)
    )
    provider.shutdown()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_log_records_of_opentelemetrys_own_exporters_arrive(
    receiver: Receiver, protocol: str, packed: bool
) -> None:
    emit(log_exporter(receiver, protocol, packed))
    assert records(receiver) == [SENT]


@pytest.mark.parametrize("protocol", ["grpc", "http"])
def test_events_of_spans_arrive_and_foreign_spans_pass(receiver: Receiver, protocol: str) -> None:
    if protocol == "grpc":
        exporter: Any = GrpcSpans(endpoint=str(receiver.grpc), insecure=True)
    else:
        exporter = HttpSpans(endpoint=f"http://{receiver.http}/v1/traces")
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("anyone")
    with tracer.start_as_current_span("GET /"):
        pass
    with tracer.start_as_current_span("kvtrace.registration") as span:
        log = SpanEvent(SENT)
        span.add_event(log.name, log.attributes, log.wall)  # type: ignore[arg-type]
    provider.shutdown()
    assert records(receiver) == [SENT]
    assert (receiver.counts.received.foreign, receiver.counts.received.unreadable) == (1, 0)


def test_metrics_are_accepted_and_counted(receiver: Receiver) -> None:
    export(receiver.grpc, foreign_logs(3).SerializeToString(), METRICS)
    assert receiver.counts.received.metrics == 3
    assert arrived(receiver) == []


def test_json_is_accepted(receiver: Receiver) -> None:
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "hi"}}]}]}]}
    status, answer = posted(receiver, json.dumps(body).encode(), kind="application/json")
    assert (status, answer) == (200, b"{}")
    assert receiver.counts.received.foreign == 1


def posted(
    receiver: Receiver, body: bytes, *, kind: str = "application/x-protobuf", **headers: str
) -> tuple[int, bytes]:
    """What HTTP answers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(
        f"http://{receiver.http}/v1/logs", body, {"content-type": kind, **named}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def refusal(receiver: Receiver, raw: bytes, **others: Any) -> grpc.RpcError:
    with pytest.raises(grpc.RpcError) as refused:
        export(receiver.grpc, raw, **others)
    return refused.value


def test_malformed_and_too_large_have_the_right_statuses(receiver: Receiver) -> None:
    large = b"\x0a" * (17 << 20)
    assert refusal(receiver, b"\xff\xff").code() is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal(receiver, large).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert posted(receiver, b"\xff\xff")[0] == 400
    assert posted(receiver, large)[0] == 413
    assert posted(receiver, gzip.compress(bytes(17 << 20)), content_encoding="gzip")[0] == 413
    assert refusal(receiver, b"", path="/nothing/Here").code() is grpc.StatusCode.UNIMPLEMENTED
    assert [news for news in arrived(receiver) if getattr(news, "turned_away", 0) == 5]
    assert export(receiver.grpc, logs(SENT).SerializeToString()) == b""


def test_what_cannot_be_read_of_ours_is_told_as_partial_success(receiver: Receiver) -> None:
    request = logs(record(1), record(2))
    request.resource_logs[0].scope_logs[0].log_records[0].ClearField("attributes")
    answer = ExportLogsServiceResponse.FromString(
        export(receiver.grpc, request.SerializeToString())
    )
    assert answer.partial_success.rejected_log_records == 1
    assert records(receiver) == [record(2)]


def test_when_full_nothing_is_acknowledged_and_the_client_is_told_when_to_come_again() -> None:
    raw = logs(SENT).SerializeToString()
    with receiving(Inbox(most_news=1)) as receiver:
        export(receiver.grpc, raw)
        refused: Any = refusal(receiver, raw)
        assert refused.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        (details,) = [v for k, v in refused.trailing_metadata() if k == "grpc-status-details-bin"]
        wait = RetryInfo()
        assert Status.FromString(details).details[0].Unpack(wait)
        assert wait.retry_delay.seconds == 1
        assert posted(receiver, raw)[0] == 429
        assert len(records(receiver)) == 1
        assert export(receiver.grpc, raw) == b""


def test_a_token_is_asked_for() -> None:
    raw = logs(SENT).SerializeToString()
    with receiving(access=Access(token="s3cret")) as receiver:
        assert refusal(receiver, raw).code() is grpc.StatusCode.UNAUTHENTICATED
        wrong = (("authorization", "Bearer wrong"),)
        right = (("authorization", "Bearer s3cret"),)
        assert refusal(receiver, raw, metadata=wrong).code() is grpc.StatusCode.UNAUTHENTICATED
        assert posted(receiver, raw)[0] == 401
        assert export(receiver.grpc, raw, metadata=right) == b""
        assert posted(receiver, raw, authorization="Bearer s3cret")[0] == 200
        assert len(records(receiver)) == 2


def test_tls_over_grpc_and_http(papers: Papers) -> None:
    access = Access(certificate=papers("server.pem"), key=papers("server.key"))
    with receiving(access=access) as receiver:
        trusted = grpc.ssl_channel_credentials(papers("ca.pem").read_bytes())
        emit(GrpcLogs(endpoint=f"https://{receiver.grpc}", credentials=trusted))
        web = f"https://{receiver.http}/v1/logs"
        emit(HttpLogs(endpoint=web, certificate_file=str(papers("ca.pem"))))
        assert records(receiver) == [SENT, SENT]


def test_only_clients_with_a_certificate_of_the_authority_get_in(papers: Papers) -> None:
    access = Access(
        certificate=papers("server.pem"), key=papers("server.key"), client_ca=papers("ca.pem")
    )
    root = papers("ca.pem").read_bytes()
    key, chain = papers("client.key").read_bytes(), papers("client.pem").read_bytes()
    with receiving(access=access) as receiver:
        stranger = grpc.ssl_channel_credentials(root)
        with grpc.secure_channel(str(receiver.grpc), stranger) as channel:
            call = channel.unary_unary("/x/y")
            with pytest.raises(grpc.RpcError) as refused:
                call(b"", timeout=10)
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        emit(
            GrpcLogs(
                endpoint=f"https://{receiver.grpc}",
                credentials=grpc.ssl_channel_credentials(root, key, chain),
            )
        )
        emit(
            HttpLogs(
                endpoint=f"https://{receiver.http}/v1/logs",
                certificate_file=str(papers("ca.pem")),
                client_certificate_file=str(papers("client.pem")),
                client_key_file=str(papers("client.key")),
            )
        )
        assert records(receiver) == [SENT, SENT]


def test_a_folder_is_no_certificate(tmp_path: Path) -> None:
    access = Access(certificate=tmp_path, key=tmp_path)
    with pytest.raises(ReceiverError, match="cannot be used"), receiving(access=access):
        pass
