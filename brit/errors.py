"""Every error a person can cause, as one tree; the message is fit to be shown as it is.

    BritError
    ├── InputError             the user's input is at fault: exit code 1, a message on the page
    │   ├── DocumentError      one document cannot be read (the rest of its batch goes on)
    │   │   └── PasswordNeeded
    │   └── UnknownName        no such collection, document, setting
    ├── ModelError             a model or its server cannot be used
    │   ├── ModelUnreachable
    │   ├── MalformedReply     one reply is lost, the rest of the run goes on
    │   ├── TooLong            a request is longer than the model's context: ask with less
    │   └── WeightsMissing
    ├── EncoderMismatch        vectors on disk come from another encoder
    ├── BudgetSpent            reading documents has cost as much as it may; the rest can be resumed
    ├── WorkspaceError         the workspace cannot be opened, read or written
    └── Cancelled              somebody pressed cancel

Raised once, with a sentence that says what to do next; caught only by the command line, the pages
and the job worker.
"""


class BritError(Exception):
    """Base of all: `str(error)` is one sentence for the user."""


class InputError(BritError):
    """What the user gave cannot be used."""


class DocumentError(InputError):
    """One document cannot be read; `str(error)` is the reason kept in the ledger."""


class PasswordNeeded(DocumentError):
    """The document is encrypted and no password, or a wrong one, was given."""


class UnknownName(InputError):
    """A collection, document or setting of that name does not exist."""


class ModelError(BritError):
    """A model, or the server that holds it, cannot be used."""


class ModelUnreachable(ModelError):
    """The server did not answer."""


class MalformedReply(ModelError):
    """The model replied, but not in the form asked for, however often it was asked."""


class TooLong(ModelError):
    """The request is longer than the model's context; nothing was replied."""


class WeightsMissing(ModelError):
    """The weights are not on this machine, and nothing was fetched unasked."""


class EncoderMismatch(BritError):
    """The vectors in the workspace were made by another encoder."""


class BudgetSpent(BritError):
    """The budget for reading documents is used up; what was finished stays."""


class WorkspaceError(BritError):
    """The workspace folder cannot be opened, read or written."""


class Cancelled(BritError):
    """The job was cancelled; what was finished stays."""
