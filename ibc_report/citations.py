"""How to cite the measure and the dataset."""

from __future__ import annotations

__all__ = ["bibtex"]

MEASURE = """\
@inproceedings{boopathy2023modelagnostic,
  title     = {Model-agnostic Measure of Generalization Difficulty},
  author    = {Boopathy, Akhilan and Liu, Kevin and Hwang, Jaedong and Ge, Shu and Mohammedsaleh, Asaad and Fiete, Ila},
  booktitle = {Proceedings of the 40th International Conference on Machine Learning},
  series    = {Proceedings of Machine Learning Research},
  volume    = {202},
  year      = {2023},
  publisher = {PMLR}
}"""


def bibtex(dataset: str | None) -> str:
    """List the entries that a card calls for.

    Parameters
    ----------
    dataset : str or None
        Entry of the dataset, as its task or source gives it.

    Returns
    -------
    str

    Examples
    --------
    >>> bibtex(None).splitlines()[0]
    '@inproceedings{boopathy2023modelagnostic,'
    """
    return "\n\n".join(part.strip() for part in (MEASURE, dataset) if part)
