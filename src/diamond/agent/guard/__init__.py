"""What this machine allows: policy, signatures, ledger, fence, secrets."""
