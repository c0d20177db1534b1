# Serves MCP over HTTP: docs/clients.md says how it is run. No secret is in the image.
# LOCK=azure adds what pictures in Azure Blob Storage need.
ARG PYTHON=3.13-slim-bookworm

FROM python:${PYTHON} AS built
WORKDIR /source
ARG LOCK=run
COPY requirements/run.txt requirements/azure.txt requirements/
RUN python -m venv /opt/ibid \
 && /opt/ibid/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r "requirements/${LOCK}.txt"
# What builds the wheel is pinned too, and stays out of the image that is run.
COPY requirements/build.txt requirements/build.txt
RUN python -m venv /opt/builder \
 && /opt/builder/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY corpus corpus
COPY prompts prompts
COPY server server
COPY tools tools
RUN /opt/builder/bin/python -m hatchling build -t wheel -d /wheels \
 && /opt/ibid/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-index /wheels/*.whl

FROM python:${PYTHON}
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin ibid \
 && install -d -o ibid -g ibid -m 700 /data
COPY --from=built /opt/ibid /opt/ibid
ENV PATH=/opt/ibid/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    RAG_DATA_DIR=/data \
    RAG_LOG_FORMAT=json
USER 10001
VOLUME /data
WORKDIR /data
EXPOSE 8000
# 127.0.0.1 counts among the names under which the server is reached.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["ibid"]
CMD ["serve", "--http", "0.0.0.0:8000"]
