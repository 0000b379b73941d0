"""The service: who may ask, what is refused and costs nothing, fifty clients at once, a fuzzer on its description."""

from __future__ import annotations

import json
import threading
from decimal import Decimal

import pytest
import uvicorn
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given

from disclosure_control.analyses.private_release.answers import Records
from disclosure_control.analyses.private_release.ledger import Ledger
from disclosure_control.analyses.private_release.service import ServedPilot, create_app, main, served_pilot
from disclosure_control.analyses.private_release.serving import MOST_BYTES
from disclosure_control.basics.telling.faults import FaultyInputError
from tests.analyses.private_release.publish_pilots import SHA, people, spending
from tests.config_keys import faults_of_key
from tests.examples import examples

TOKEN = "q7Zt-4mXw_9kPv2LrB8sYd"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
COUNT = {"epsilon": 0.1}
AVERAGE = {"epsilon": 0.1, "column": "LB__X", "bounds": [50, 150]}
HISTOGRAM = {"epsilon": 0.1, "column": "DM__SEX", "categories": ["F", "M"]}


def a_pilot(folder, budget="1") -> ServedPilot:
    return ServedPilot(Records(people(2000)), SHA, Ledger(folder, Decimal(budget)))


@pytest.fixture(autouse=True)
def answered_at_once(monkeypatch):
    """That tries without the token are slowed is tested where the connections are."""
    monkeypatch.setattr("disclosure_control.analyses.private_release.serving.SECONDS_BEFORE_A_REFUSAL", 0.0)


@pytest.fixture
def pilot(tmp_path):
    return a_pilot(tmp_path)


@pytest.fixture
def client(pilot):
    return TestClient(create_app(pilot, TOKEN), headers=HEADERS, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def unspent(tmp_path_factory):
    """A client and its pilot, for questions that cost nothing."""
    pilot = a_pilot(tmp_path_factory.mktemp("unspent"))
    return TestClient(create_app(pilot, TOKEN), headers=HEADERS, raise_server_exceptions=False), pilot


# ---------------------------------------------------------------- answers


def test_the_three_questions_and_the_budget(client, pilot):
    count = client.post("/count", json=COUNT).json()
    assert abs(count["answer"]["value"] - 2000) < 400  # farther by chance once in 10**17
    assert (count["charged"], count["neighbours"]) == ("0.1", "add or remove one person")
    assert 0.099 < count["epsilon"] <= 0.1
    average = client.post("/average", json=AVERAGE).json()["answer"]
    assert 50 <= average["value"] <= 150
    histogram = client.post("/histogram", json=HISTOGRAM).json()["answer"]
    assert [cell["category"] for cell in histogram["cells"]] == ["F", "M", "(other or missing)"]
    assert client.get("/budget").json() == {"budget": "1", "spent": "0.3", "left": "0.7"}
    assert spending(pilot.ledger) == Decimal("0.3")


def test_the_same_question_is_free_and_groups_cost_no_more(client):
    first, again = (client.post("/average", json=AVERAGE).json() for _ in range(2))
    assert (first["charged"], again["charged"]) == ("0.1", "0")
    assert first["answer"] == again["answer"]
    grouped = client.post("/average", json={**AVERAGE, "by": {"DM__SEX": ["F", "M"]}}).json()
    assert grouped["charged"] == "0.1"
    assert len(grouped["answer"]["cells"]) == 3


# ---------------------------------------------------------------- refusals, nothing spent


@pytest.mark.parametrize(
    "headers",
    [
        {},
        *({"Authorization": f"Bearer {token}"} for token in ("wrong", f"{TOKEN}x", TOKEN[:-1], "")),
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
    ],
)
def test_without_the_token_nothing_is_read(pilot, headers):
    with TestClient(create_app(pilot, TOKEN)) as stranger:
        replies = [
            stranger.post(path, content=b"not even JSON", headers=headers)
            for path in ("/count", "/average", "/budget", "/nowhere")
        ]
    for reply in replies:
        assert reply.status_code == 401
        assert reply.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in reply.text
    assert not pilot.ledger.path.exists()


def test_the_token_is_needed_to_start(pilot):
    for token in ("", "short"):
        with pytest.raises(FaultyInputError, match=r"BIOSTREAMS_SERVICE_TOKEN: \d characters; allowed: at least 16"):
            create_app(pilot, token)


def test_a_token_that_can_be_guessed_does_not_start_it(pilot):
    for token in ("1" * 16, "passwordpassword", "0123456789abcdef"):
        with pytest.raises(FaultyInputError, match=r"BIOSTREAMS_SERVICE_TOKEN: too little variety"):
            create_app(pilot, token)


def pieces(n_bytes: int):
    for _ in range(n_bytes // 1000 + 1):
        yield b"x" * 1000


@pytest.mark.parametrize("in_pieces", [False, True], ids=["with its length", "in pieces, without"])
def test_a_body_that_is_too_large(client, pilot, in_pieces):
    content = pieces(MOST_BYTES) if in_pieces else b"x" * (MOST_BYTES + 1)
    reply = client.post("/count", content=content)
    assert reply.status_code == 413
    assert "larger than 65536 bytes" in reply.json()["faults"][0]
    assert not pilot.ledger.path.exists()
    just_fits = json.dumps(COUNT).encode().ljust(MOST_BYTES)
    assert client.post("/count", content=just_fits, headers={"Content-Type": "application/json"}).status_code == 200


BAD = [
    *[("/count", {"epsilon": epsilon}) for epsilon in (0, -0.1, 1e-9, 1e-300, 101, 1e300, None, "0.1", True, [0.1])],
    ("/count", {"epsilon": 0.12345678901234}),
    ("/count", {}),
    ("/count", {"epsilon": 0.1, "unknown": 1}),
    ("/count", {"epsilon": 0.1, "column": "LB__Y"}),
    ("/count", {"epsilon": 0.1, "column": "USUBJID"}),
    ("/count", {"epsilon": 0.1, "by": {"nowhere": ["a"]}}),
    ("/count", {"epsilon": 0.1, "by": {}}),
    ("/count", {"epsilon": 0.1, "categories": ["F"]}),
    ("/average", {**AVERAGE, "bounds": [150, 50]}),
    ("/average", {**AVERAGE, "bounds": [50, 50]}),
    ("/average", {**AVERAGE, "bounds": [50]}),
    ("/average", {**AVERAGE, "bounds": [-1e300, 1e300]}),
    ("/average", {**AVERAGE, "column": 5}),
    ("/histogram", {**HISTOGRAM, "categories": ["F", "F "]}),
    ("/histogram", {**HISTOGRAM, "categories": []}),
    ("/histogram", {**HISTOGRAM, "edges": [0, 1]}),
    ("/histogram", {**HISTOGRAM, "by": {"DM__SEX": ["F"]}}),
    ("/histogram", [1, 2]),
    ("/count", {"epsilon": 0.1, "accept_noise": "yes"}),
]
BAD_TEXTS = [
    b'{"epsilon": NaN}',
    b'{"epsilon": Infinity}',
    b'{"epsilon": -Infinity}',
    b'{"epsilon": 1e999}',
    b'{"epsilon": 0.1',
    b"",
    b"null",
    b"\xff\xfe",
    b'{"epsilon": 0.1, "column": "\\ud800"}',
    b"[" * 20_000,
    b'{"epsilon": 0.1, "column": "DM__SEX", "categories": ["\\ud800"]}',
]


@pytest.mark.parametrize(("path", "question"), BAD)
def test_a_question_at_fault_is_refused_with_words_and_costs_nothing(unspent, path, question):
    client, pilot = unspent
    reply = client.post(path, json=question)
    assert reply.status_code == 422
    assert all(len(fault) > 10 for fault in reply.json()["faults"])
    assert not pilot.ledger.path.exists()


@pytest.mark.parametrize("content", BAD_TEXTS)
def test_a_text_at_fault_is_refused_and_costs_nothing(unspent, content):
    client, pilot = unspent
    reply = client.post("/count", content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code == 422
    assert reply.json()["faults"]
    assert not pilot.ledger.path.exists()


def test_what_was_sent_is_not_sent_back(client):
    reply = client.post("/count", json={"epsilon": "SECRETWORD"})
    assert "SECRETWORD" not in reply.text


def test_the_budget_is_exhausted(client, pilot):
    assert client.post("/count", json={"epsilon": 0.95}).status_code == 200
    reply = client.post("/average", json=AVERAGE)
    assert reply.status_code == 409
    assert reply.json()["left"] == "0.05"
    assert client.post("/count", json={"epsilon": 0.95}).json()["charged"] == "0"
    assert spending(pilot.ledger) == Decimal("0.95")


def test_what_would_be_mostly_noise_is_refused_unless_that_is_accepted(client, pilot):
    question = {**HISTOGRAM, "column": "MH__DX", "categories": [str(i) for i in range(992)]}
    reply = client.post("/histogram", json=question)
    assert reply.status_code == 422
    assert "993 cells of 500 people, as none are declared; nothing was spent" in reply.json()["faults"][0]
    assert spending(pilot.ledger) == 0
    accepted = client.post("/histogram", json={**question, "accept_noise": True})
    assert (accepted.status_code, accepted.json()["charged"]) == (200, "0.1")
    assert client.post("/histogram", json=question).json()["charged"] == "0"


@pytest.mark.parametrize(("people_declared", "status"), [(None, 422), (60, 422), (601, 422), (1001, 200)])
def test_the_people_declared_decide_and_not_those_of_the_data(tmp_path, people_declared, status):
    pilot = ServedPilot(Records(people(300)), SHA, Ledger(tmp_path, Decimal(1)), people_declared)
    client = TestClient(create_app(pilot, TOKEN), headers=HEADERS)
    assert client.post("/histogram", json={**HISTOGRAM, "epsilon": 0.02}).status_code == status


def test_a_folder_that_is_moved_under_the_service_is_not_made_again(tmp_path):
    (tmp_path / "pilot").mkdir()
    client = TestClient(create_app(a_pilot(tmp_path / "pilot"), TOKEN), headers=HEADERS)
    assert client.post("/count", json=COUNT).status_code == 200
    (tmp_path / "pilot").rename(tmp_path / "moved")
    for reply in (client.post("/average", json=AVERAGE), client.get("/budget")):
        assert reply.status_code == 503
        assert "has lost entries" in reply.json()["faults"][0]
    assert not (tmp_path / "pilot").exists()


def test_a_ledger_at_fault_answers_nothing(client, pilot):
    client.post("/count", json=COUNT)
    pilot.ledger.path.write_bytes(pilot.ledger.path.read_bytes()[:-5])
    for reply in (client.post("/average", json=AVERAGE), client.post("/count", json=COUNT), client.get("/budget")):
        assert reply.status_code == 503
        assert "never reset" in reply.json()["faults"][0]


def test_a_fault_of_ours_tells_its_kind_alone(client, monkeypatch):
    def fails(*arguments):
        raise KeyError("SECRETWORD")

    monkeypatch.setattr("disclosure_control.analyses.private_release.service.ask", fails)
    reply = client.post("/count", json=COUNT)
    assert reply.status_code == 500
    assert "KeyError" in reply.text
    assert "SECRETWORD" not in reply.text


def test_a_full_disk_answers_nothing(client, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    reply = client.post("/count", json=COUNT)
    assert reply.status_code == 503
    assert "nothing was answered" in reply.json()["faults"][0]


# ---------------------------------------------------------------- fifty at once, over a real socket


@pytest.fixture
def address(pilot):
    config = uvicorn.Config(create_app(pilot, TOKEN), host="127.0.0.1", port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


# ---------------------------------------------------------------- starting it


def test_it_starts_on_a_pilot_of_the_configs_and_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(tmp_path))
    assert main(["NOWHERE"]) == 2
    assert "there is no config" in capsys.readouterr().err
    literal = {"categorical_qis": ["DM__SEX"], "continuous_qis": [], "sensitive_feature": [], "K": 2}
    (tmp_path / "P.py").write_text(f"config = {literal!r}")
    assert main(["P"]) == 2
    assert "run Create_Combined_Pilot_Dataset.py" in capsys.readouterr().err
    results = tmp_path / "P" / "processed_for_anonym"
    results.mkdir(parents=True)
    people(30).to_csv(results / "combined_dataset.csv", index=False)
    assert main(["P"]) == 2
    assert "private_release: missing" in capsys.readouterr().err
    (tmp_path / "P.py").write_text(f"config = { ({**literal, 'private_release': {'budget': {'epsilon': 2}}})!r}")
    pilot = served_pilot("P")
    assert (pilot.records.n_records, pilot.ledger.budget, len(pilot.dataset), pilot.people) == (30, 2, 64, None)
    low = {"budget": {"epsilon": 0.1}, "people": 30, "queries": [{"name": "n", "kind": "count", "epsilon": 0.5}]}
    (tmp_path / "P.py").write_text(f"config = { ({**literal, 'private_release': low})!r}")
    pilot = served_pilot("P")  # a budget below what is asked is no reason not to start
    assert (pilot.people, pilot.ledger.budget) == (30, Decimal("0.1"))
    (results / "private_release.json").write_text('{"epsilon_spent": "0.3"}')
    with pytest.raises(FaultyInputError, match="has lost entries"):
        served_pilot("P")
    (results / "private_release.json").unlink()
    monkeypatch.delenv("BIOSTREAMS_SERVICE_TOKEN", raising=False)
    assert main(["P"]) == 2
    assert "BIOSTREAMS_SERVICE_TOKEN: 0 characters" in capsys.readouterr().err


def test_it_starts_without_the_key_of_the_treatment(tmp_path, monkeypatch):
    """And without the files of other steps: of the config it reads what it needs."""
    monkeypatch.setenv("BIOSTREAMS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BIOSTREAMS_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("A_KEY_THAT_IS_NOT_HERE", raising=False)
    literal = {
        **{"categorical_qis": ["DM__SEX"], "continuous_qis": [], "sensitive_feature": [], "K": 2},
        "treatment": {"steps": [{"do": "pseudonymise", "key_from": {"environment": "A_KEY_THAT_IS_NOT_HERE"}}]},
        "linkage_attack": {"register": "nowhere.csv"},
        "private_release": {"budget": {"epsilon": 20}},
    }
    (tmp_path / "P.py").write_text(f"config = {literal!r}")
    results = tmp_path / "P" / "processed_for_anonym"
    results.mkdir(parents=True)
    people(30).to_csv(results / "combined_dataset.csv", index=False)
    assert faults_of_key("treatment", literal["treatment"], literal)  # door 2 does need it
    assert served_pilot("P").ledger.budget == 20
    # Nor does it stop at a value of a column that door 2 would assess and nobody asks it for.
    literal |= {"sensitive_feature": "LB__X", "sensitive_binning_config_for_L": {}, "L": 2, "T": 5}
    (tmp_path / "P.py").write_text(f"config = {literal!r}")
    people(30).assign(LB__X=["1", "unknown", *"345"] * 6).to_csv(results / "combined_dataset.csv", index=False)
    assert served_pilot("P").records.n_records == 30
    (tmp_path / "P.py").write_text(f"config = { ({**literal, 'tretment': {}})!r}")
    with pytest.raises(FaultyInputError, match="unknown key"):
        served_pilot("P")


def test_what_the_controller_should_know_is_said_at_the_start(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    pilot = ServedPilot(Records(people(30)), SHA, Ledger(tmp_path, Decimal(20), state_folder=tmp_path / "file" / "s"))
    pilot.ledger.look()
    monkeypatch.setattr("uvicorn.run", lambda app, **options: None)
    monkeypatch.setattr("disclosure_control.analyses.private_release.service.served_pilot", lambda name: pilot)
    monkeypatch.setenv("BIOSTREAMS_SERVICE_TOKEN", TOKEN)
    assert main(["P"]) == 0
    said = capsys.readouterr().err
    assert "NOTE: a budget of epsilon 20 promises little" in said
    assert "NOTE: no mark of the private answers can be kept" in said


def test_a_value_out_of_reach_is_no_refusal_and_is_paid_for_once(tmp_path):
    table = people(300)
    table.loc[7, "LB__X"] = "1e301"
    pilot = ServedPilot(Records(table), SHA, Ledger(tmp_path, Decimal(9)), 300)
    client = TestClient(create_app(pilot, TOKEN), headers=HEADERS, raise_server_exceptions=False)
    question = {"epsilon": 5, "column": "LB__X", "edges": [50, 100, 150]}
    replies = [client.post("/histogram", json=question) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 200]
    assert [reply.json()["charged"] for reply in replies] == ["5", "0", "0"]


def test_a_fault_on_the_data_comes_before_anything_is_written(client, pilot, monkeypatch):
    def fails(records, query):
        raise MemoryError

    monkeypatch.setattr(Records, "groups", fails)
    assert client.post("/count", json=COUNT).status_code == 500
    assert not pilot.ledger.path.exists()


def test_an_answer_that_its_epsilon_does_not_pay_for_is_refused(client, pilot):
    question = {"epsilon": 0.0028, "by": {"DM__SEX": [f"s{i}" for i in range(300)], "MH__DX": list("abcdefg") * 1}}
    reply = client.post("/count", json={**question, "accept_noise": True})
    assert reply.status_code == 422
    assert "an answer of 2408 cells and its question fill about" in reply.json()["faults"][0]
    assert not pilot.ledger.path.exists()


def test_it_listens_on_this_machine_alone(tmp_path, monkeypatch):
    started = {}
    monkeypatch.setattr("uvicorn.run", lambda app, **options: started.update(options))
    monkeypatch.setattr(
        "disclosure_control.analyses.private_release.service.served_pilot", lambda name: a_pilot(tmp_path)
    )
    monkeypatch.setenv("BIOSTREAMS_SERVICE_TOKEN", TOKEN)
    assert main(["P"]) == 0
    assert (started["host"], started["access_log"]) == ("127.0.0.1", False)


# ---------------------------------------------------------------- fuzzing its own description

FEW = examples(40, suppress_health_check=list(HealthCheck))


QUESTIONS = [(path, "POST", mode) for path in ("/count", "/average", "/histogram") for mode in ("positive", "negative")]


@pytest.mark.thorough("3 s; every route is asked by hand in the quick run")
@pytest.mark.parametrize(("path", "method", "mode"), [*QUESTIONS, ("/budget", "GET", "positive")])
def test_the_service_keeps_to_its_description(tmp_path, path, method, mode):
    """Schemathesis asks as the description allows, and as it does not; each reply has to be one that is described."""
    import schemathesis
    from schemathesis.generation import GenerationMode
    from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

    # What a description cannot say, it does not promise: columns that exist, bounds that rise, a budget that lasts.
    not_promised = [positive_data_acceptance]
    pilot = a_pilot(tmp_path, "100")
    operation = schemathesis.openapi.from_asgi("/openapi.json", create_app(pilot, TOKEN))[path][method]

    @FEW
    @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
    def ask(case):
        before = spending(pilot.ledger)
        reply = case.call(headers=HEADERS)
        too_large = reply.status_code == 413  # a refusal as good as any, which Schemathesis does not know as one
        case.validate_response(reply, excluded_checks=[*not_promised, *[negative_data_rejection][:too_large]])
        assert reply.status_code == 200 or spending(pilot.ledger) == before

    ask()


def test_the_description_is_whole(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert set(paths) == {"/count", "/average", "/histogram", "/budget"}
    assert {"401", "408", "409", "413", "422", "500", "503", "200"} == set(paths["/count"]["post"]["responses"])
    assert client.get("/openapi.json", headers={"Authorization": ""}).status_code == 200  # it holds nothing of a pilot
    for reply, status in ((client.get("/nowhere"), 404), (client.get("/count"), 405)):
        assert reply.status_code == status
        assert str(status) in client.get("/openapi.json").json()["info"]["description"]
        assert set(reply.json()) == {"faults", "left"}
