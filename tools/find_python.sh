#!/bin/sh
# Prints the Python to build with, or says in one sentence what is missing.
# Usage: find_python.sh [PYTHON]
set -u

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

if [ -n "${1:-}" ]; then
    if ! "$1" -c '' >/dev/null 2>&1; then
        echo "kvtrace: PYTHON=$1 does not run; name a Python 3.11 or newer, such as PYTHON=/usr/bin/python3.11." >&2
        exit 2
    fi
    if ! new_enough "$1"; then
        echo "kvtrace: PYTHON=$1 is $("$1" --version 2>&1), and kvtrace needs Python 3.11 or newer: name another one." >&2
        exit 2
    fi
    echo "$1"
    exit 0
fi

for candidate in python3.11 python3.12 python3.13 python3.14 python3 python; do
    if new_enough "$candidate"; then
        echo "$candidate"
        exit 0
    fi
done

if found=$(python3 --version 2>&1); then
    echo "kvtrace: this machine's python3 is $found, and kvtrace needs Python 3.11 or newer: install one, or name one with PYTHON=/path/to/python3.11." >&2
else
    echo "kvtrace: there is no python3 on this machine, and kvtrace needs Python 3.11 or newer: install it, or name it with PYTHON=/path/to/python3.11." >&2
fi
exit 2
