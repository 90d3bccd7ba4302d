"""What rulelab raises besides `rulelab.ParameterError`: imported when it is first used."""

from .certificate import CertificateError as CertificateError
from .data.conditions import NothingFound as NothingFound
from .data.problem_arguments import ProblemError as ProblemError
from .models import ModelError as ModelError
from .recording import RecordingError as RecordingError
from .sweeps import SweepError as SweepError

__all__: list[str]
