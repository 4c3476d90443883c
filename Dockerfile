FROM python:3.12-slim

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY clients clients
COPY dealer dealer
COPY games games
COPY pokerd pokerd
COPY protocol protocol
COPY server server
COPY strategy strategy
COPY studies studies
# Editable, because game files and web pages are found beside the code.
RUN pip install --no-cache-dir --constraint constraints.txt --editable ".[fleet]"

RUN useradd --create-home pokerd && mkdir /data /results && chown pokerd /data /results
USER pokerd
# What house bots compile is kept where this user may write; without it their first matches would wait for it.
RUN python -m strategy.precompile
VOLUME /data /results
EXPOSE 8000
EXPOSE 8080
ENTRYPOINT ["python", "-m", "pokerd"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--data", "/data", "--results", "/results"]
