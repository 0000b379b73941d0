# No pilot, config or .env becomes part of the image: .dockerignore lets the program through, and nothing else.
# How to run it, without powers, network or a writable root: docs/operations.md.
FROM python:3.11-slim
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 MPLCONFIGDIR=/tmp
WORKDIR /service
COPY . .
RUN pip install --no-cache-dir -r requirements.txt -r requirements/figures.txt -r requirements/formats.txt
# Compiled here once, Python's own library, too, of which the base image has the sources alone: a run keeps no bytecode.
RUN python -m compileall -q /usr/local/lib/python3.11 .
USER 10001:10001
# No HEALTHCHECK: the container ends with its run, whose status and last line say how the pilots are.
ENTRYPOINT ["python", "-m", "disclosure_control.night", "--log-format", "json", "--fail-on-risk", "5"]
