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
HEALTHCHECK --interval=5m --timeout=60s CMD ["python", "Main_Anonymization.py", "--version"]
ENTRYPOINT ["sh", "-c", "python Create_Combined_Pilot_Dataset.py --log-format json \"$@\" && exec python Main_Anonymization.py --log-format json --fail-on-risk 5 \"$@\"", "both-doors"]
