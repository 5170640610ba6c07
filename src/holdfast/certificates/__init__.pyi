from .verify.checking import (
    RecoveryClaim as RecoveryClaim,
    SightClaim as SightClaim,
    Verdict as Verdict,
    verify as verify,
)
from .writing import certificate_of as certificate_of, certify as certify, require_claim as require_claim
