"""How documents are fetched over HTTP. Nothing here shapes a result."""

from dataclasses import dataclass

AUTHORISATIONS = ("", "bearer", "basic")


@dataclass(frozen=True)
class HttpConfig:
    """Limits towards servers that are slow, broken or hostile, and the secret that one of them is sent.

    Attributes
    ----------
    max_mib
        Largest document, MiB.
    timeout
        Seconds for one attempt, from the connection to the last byte.
    attempts
        Requests for a document before its server counts as not reached.
    longest_wait
        Most seconds between two attempts, even if the server asks for more.
    redirects
        Most redirects on the way to a document.
    connections
        Documents fetched at the same time.
    auth
        ``bearer`` or ``basic``; empty: no secret is sent.
    auth_env
        Name of the environment variable that holds the token, or ``user:password``.
    auth_host
        The only host, with its port where the URL has one, that is sent the secret.
    """

    max_mib: float = 100.0
    timeout: float = 120.0
    attempts: int = 4
    longest_wait: float = 30.0
    redirects: int = 5
    connections: int = 2
    auth: str = ""
    auth_env: str = ""
    auth_host: str = ""

    def __post_init__(self) -> None:
        if self.max_mib <= 0 or self.timeout <= 0 or self.longest_wait < 0:
            raise ValueError("corpus.http: max_mib and timeout must be positive, longest_wait not negative")
        if self.attempts < 1 or self.connections < 1 or self.redirects < 0:
            raise ValueError("corpus.http: attempts and connections must be positive, redirects not negative")
        if self.auth not in AUTHORISATIONS:
            raise ValueError(f"corpus.http.auth={self.auth}: bearer, basic or empty")
        if bool(self.auth) != bool(self.auth_env) or bool(self.auth) != bool(self.auth_host):
            raise ValueError("corpus.http: auth, auth_env and auth_host must be set together")

    @property
    def max_bytes(self) -> int:
        return int(self.max_mib * 2**20)
