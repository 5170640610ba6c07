from .verify.checking import Verdict as Verdict, verify as verify
from .writing import certificate_of as certificate_of, certify as certify
