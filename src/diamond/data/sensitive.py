"""Files that hold keys or passwords: they never travel with code, and are named instead."""

from __future__ import annotations

from fnmatch import fnmatchcase

KEY_FILES = (
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks",
    "*.kdbx", "*.ppk", "*.keytab", ".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".pgpass",
    ".pypirc", ".npmrc", ".git-credentials", "credentials", "credentials.json", "credentials.toml",
    "service-account*.json", "kubeconfig", "*.ovpn", ".vault-token", ".htpasswd", "wandb_key*",
)  # fmt: skip
KEY_FOLDERS = (".ssh", ".aws", ".azure", ".gcloud", ".gnupg", ".kube", ".docker", ".globus")
HARMLESS = (".env.example", ".env.sample", ".env.template", "*.pub")


def why_kept_home(path: str) -> str:
    """Why a file must not travel; empty when it may. Judged by name alone."""
    *folders, name = path.split("/")
    for folder in folders:
        if folder in KEY_FOLDERS:
            return f"in {folder}, where keys are kept"
    low = name.lower()
    if any(fnmatchcase(low, one) for one in HARMLESS):
        return ""
    if any(fnmatchcase(low, one) for one in KEY_FILES):
        return "looks like a key or password file"
    return ""
