"""A small service for private answers: ``count``, ``average`` and ``histogram`` over HTTP, under the pilot's ledger.

    BIOSTREAMS_SERVICE_TOKEN=... python -m disclosure_control.analyses.private_release.service PILOT

It listens on this machine alone unless ``--host`` says otherwise, reads the combined dataset once at its start (and
removes what a killed run left beside it), changes nothing but the ledger from then on, and keeps no log of what
is asked. The budget is that of the config key ``private_release``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Body, FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.exceptions import HTTPException

from disclosure_control.analyses.private_release.answers import Records, faults_of_mechanism
from disclosure_control.analyses.private_release.ledger import BudgetExhaustedError, Ledger, LedgerFaultError
from disclosure_control.analyses.private_release.query import decimal_text
from disclosure_control.analyses.private_release.questions import (
    KINDS,
    Form,
    QuestionKind,
    Route,
    SentKind,
    faults_of_query,
    read_query,
)
from disclosure_control.analyses.private_release.serving import SERVER_OPTIONS, Gate, Strangers, refusal
from disclosure_control.analyses.private_release.settings import PrivateReleaseSettings
from disclosure_control.analyses.private_release.step import NEIGHBOURS, ask, notices_of, pilots_ledger
from disclosure_control.basics.settings.fields import settings_in
from disclosure_control.basics.settings.kinds import Place
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.remedy.treatments.keys import LEAST_BITS, estimated_bits

TOKEN_VARIABLE, SHORTEST_TOKEN = "BIOSTREAMS_SERVICE_TOKEN", 16
KEY, DESCRIPTION_PATH = "private_release", "/openapi.json"
DESCRIPTION = (
    "Differentially private answers about one pilot, under one budget. Every path but this description needs the token "
    "(401). Another path is 404, another method 405, both with the same form of refusal."
)

# ---------------------------------------------------------------- what is asked and answered


class Question(BaseModel):
    """What is asked: the settings of its kind, and nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _question_model(kind: QuestionKind) -> type[Question]:
    """The service's model of a kind of question, made from the forms of its settings."""
    fields: dict[str, Any] = {}
    for name, one in settings_in(kind.settings).items():
        if not isinstance(one.kind, SentKind):
            continue
        annotated = _annotated(one.kind.form)
        if one.is_required:
            fields[name] = (annotated, ...)
        else:
            fields[name] = (annotated, False) if one.kind.form.type is bool else (annotated | None, None)
    title = f"{kind.route.name.title()}Question"
    return create_model(title, __base__=Question, __doc__=kind.route.asks, **fields)


def _annotated(form: Form) -> Any:
    of = {list: lambda: list[_annotated(form.of)], dict: lambda: dict[_annotated(form.keys), _annotated(form.of)]}
    return Annotated[of.get(form.type, lambda: form.type)(), Field(**form.limits)]


class PrivateAnswer(BaseModel):
    """An answer with its noise: ``epsilon`` is what the library's own map gives, ``charged`` what the budget paid."""

    answer: dict
    epsilon: float
    charged: str
    neighbours: Literal["add or remove one person"] = NEIGHBOURS


class Budget(BaseModel):
    """The pilot's budget of epsilon: exact decimals as text."""

    budget: str
    spent: str
    left: str


class Refusal(BaseModel):
    """Why there is no answer; nothing was spent unless it says so. ``left``: what the budget still holds."""

    faults: list[str]
    left: str | None = None


# ---------------------------------------------------------------- the service


@dataclass(frozen=True)
class ServedPilot:
    """The data behind the service: the records, their SHA-256, the ledger that pays, and the number of people."""

    records: Records
    dataset: str
    ledger: Ledger
    people: int | None = None


def create_app(pilot: ServedPilot, token: str, strangers: Strangers | None = None) -> Callable:
    """The ASGI application. Raises ``FaultyInputError`` where the ``token`` is short, or could be guessed.

    ``strangers`` are the connections of a server that have not shown the token yet.
    """
    _check_token(token)
    app = FastAPI(
        title="Private answers",
        version="1",
        description=DESCRIPTION,
        openapi_url=DESCRIPTION_PATH,
        docs_url=None,  # the browsable pages load scripts from elsewhere
        redoc_url=None,
        dependencies=[Security(HTTPBearer(auto_error=False))],
    )
    _add_routes(app, pilot)
    _add_refusals(app)
    app.add_middleware(Gate, token=token, open_path=DESCRIPTION_PATH, strangers=strangers or Strangers())
    return app


def _check_token(token: str) -> None:
    """Refuse a weak token: a person who guesses it can spend the budget, so it needs the entropy of a key."""
    how = 'make one: python -c "import secrets; print(secrets.token_urlsafe(32))"'
    if len(token) < SHORTEST_TOKEN:
        raise FaultyInputError(f"{TOKEN_VARIABLE}: {len(token)} characters; allowed: at least {SHORTEST_TOKEN}; {how}")
    if estimated_bits(token.encode("utf-8", "surrogateescape")) < LEAST_BITS:
        raise FaultyInputError(
            f"{TOKEN_VARIABLE}: too little variety (words, repeats or sequences can be guessed); {how}"
        )


_REFUSALS = {
    401: {"model": Refusal, "description": "no token, or a wrong one"},
    408: {"model": Refusal, "description": "a body that does not end"},
    409: {"model": Refusal, "description": "the budget does not hold the question; nothing was spent"},
    413: {"model": Refusal, "description": "a body that is too large"},
    422: {"model": Refusal, "description": "a question at fault, mostly noise, or too large; nothing was spent"},
    500: {"model": Refusal, "description": "a fault of this program; what was asked may count as spent"},
    503: {"model": Refusal, "description": "the ledger cannot be read or written; nothing was answered"},
}


def _add_routes(app: FastAPI, pilot: ServedPilot) -> None:
    def answered(kind: str, question: Question) -> PrivateAnswer:
        given = {"kind": kind, **question.model_dump(exclude_none=True)}
        faults = faults_of_query(given, Place("question", columns=list(pilot.records.table.columns)))
        query = None if faults else read_query(given)
        faults = faults or faults_of_mechanism("question", query)
        stop_at(faults)
        recorded = ask(query, pilot.records, pilot.dataset, pilot.ledger, pilot.people)
        charged = decimal_text(recorded.charged)
        return PrivateAnswer(answer=recorded.answer, epsilon=recorded.epsilon, charged=charged)

    def add(kind: str, route: Route, model: type[Question]) -> None:
        def asked(question: Question) -> PrivateAnswer:
            return answered(kind, question)

        asked.__annotations__ = {"question": Annotated[model, Body()], "return": PrivateAnswer}
        path, words = f"/{route.name}", route.answers
        app.post(path, name=route.name, description=words, responses=_REFUSALS)(asked)

    for name, kind in KINDS.items():
        if kind.route:
            add(name, kind.route, _question_model(kind))

    @app.get("/budget", responses={status: _REFUSALS[status] for status in (401, 408, 413, 500, 503)})
    def budget() -> Budget:
        """What the budget was, what is spent, what is left."""
        spent, total = pilot.ledger.look().spent, pilot.ledger.budget
        return Budget(budget=decimal_text(total), spent=decimal_text(spent), left=decimal_text(max(total - spent, 0)))


def _add_refusals(app: FastAPI) -> None:
    """Errors say what is at fault and what is allowed; of the data they contain only names of columns."""

    @app.exception_handler(FaultyInputError)
    def faulty(request: Request, error: FaultyInputError) -> JSONResponse:
        return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, error.faults)

    @app.exception_handler(BudgetExhaustedError)
    def exhausted(request: Request, error: BudgetExhaustedError) -> JSONResponse:
        return refusal(HTTPStatus.CONFLICT, error.faults, left=decimal_text(error.left))

    @app.exception_handler(LedgerFaultError)
    def ledger_fault(request: Request, error: LedgerFaultError) -> JSONResponse:
        return refusal(HTTPStatus.SERVICE_UNAVAILABLE, error.faults)

    @app.exception_handler(OSError)
    def disk_fault(request: Request, error: OSError) -> JSONResponse:
        words = f"the ledger could not be written ({error.strerror or 'no reason given'}); nothing was answered, and "
        return refusal(HTTPStatus.SERVICE_UNAVAILABLE, [words + "what was asked may count as spent"])

    @app.exception_handler(HTTPException)
    def unreadable(request: Request, error: HTTPException) -> JSONResponse:
        # A body that is not text is a fault like any other.
        status = HTTPStatus.UNPROCESSABLE_ENTITY if error.status_code == 400 else HTTPStatus(error.status_code)
        return refusal(status, [str(error.detail)], headers=error.headers)

    @app.exception_handler(Exception)
    def our_fault(request: Request, error: Exception) -> JSONResponse:
        # The message may contain data, so only its kind is given.
        words = f"a fault of this program, {type(error).__name__}; what was asked may count as spent; please report it"
        return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, [words])

    @app.exception_handler(RequestValidationError)
    def misunderstood(request: Request, error: RequestValidationError) -> JSONResponse:
        faults = [f"{'.'.join(_place(fault['loc']))}: {fault['msg']}" for fault in error.errors()]
        return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, faults)


def _place(location: tuple) -> list[str]:
    """Where in a question a fault is; a name too long to be a setting is cut."""
    return [str(part)[:60] for part in location]


# ---------------------------------------------------------------- starting it


def served_pilot(name: str) -> ServedPilot:
    """A pilot's combined dataset as door 2 reads it, with the config's keys needed. Raises ``FaultyInputError``."""
    import config as pilots
    from disclosure_control.assess.opening import read_texts
    from disclosure_control.run.results import held
    from disclosure_control.steps import READERS

    settings = pilots.read_settings()
    literal = pilots.load_pilot_config(settings, name)
    folder: Path = settings.data_folder / name
    path = pilots.combined_dataset_in(folder / pilots.RESULTS_FOLDER)
    if not path.is_file():
        raise FaultyInputError(f"{path.name}: not there; run Create_Combined_Pilot_Dataset.py for this pilot first")
    readers = {**dict.fromkeys(READERS, _unread), KEY: READERS[KEY]}
    with held(path.parent):
        config, text, sha256 = read_texts(path, literal, readers)
    if KEY not in literal:
        raise FaultyInputError('private_release: missing in the config; the service needs its {"budget": ...}')
    private = config.of(PrivateReleaseSettings)
    ledger = pilots_ledger(folder, name, private.budget)
    ledger.look()  # report a faulty ledger at the start, not at the first question
    return ServedPilot(Records(text), sha256, ledger, private.people)


def _unread(value: object, config: object, columns: object) -> None:
    """Skip other keys: a treatment may need a secret that this process should not have."""


def main(arguments: list[str] | None = None) -> int:
    """Serve one pilot until Ctrl-C. 0 done; 2 config, input or token at fault; 4 another run holds the pilot."""
    import uvicorn

    from disclosure_control.run.results import PilotIsLockedError

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pilot", metavar="PILOT")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen; default: this machine alone")
    parser.add_argument("--port", type=int, default=8350)
    options = parser.parse_args(arguments)
    strangers = Strangers()
    try:
        pilot = served_pilot(options.pilot)
        app = create_app(pilot, os.environ.get(TOKEN_VARIABLE, ""), strangers)
    except FaultyInputError as error:
        print("\n".join(error.faults), file=sys.stderr)
        return 2
    except PilotIsLockedError:
        print("another run holds this pilot; try again when it is done", file=sys.stderr)
        return 4
    for notice in notices_of(pilot.ledger.budget, (), pilot.ledger):
        print(f"NOTE: {notice}", file=sys.stderr)
    uvicorn.run(app, host=options.host, port=options.port, http=strangers.protocol, **SERVER_OPTIONS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
