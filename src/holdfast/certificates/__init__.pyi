from .verify.bounds import LikelyBounds as LikelyBounds
from .verify.checking import (
    RecoveryClaim as RecoveryClaim,
    SightClaim as SightClaim,
    Verdict as Verdict,
    verify as verify,
)
from .writing import (
    certificate_of as certificate_of,
    certify as certify,
    proof_of as proof_of,
    require_claim as require_claim,
)
