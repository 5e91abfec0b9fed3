"""Articles in PDF: columns, hyphens, running heads, references; what cannot be read."""

import io
import sys

import pypdf
import pytest

from ilpsum.errors import InputError
from ilpsum.literature import intake, pdf
from ilpsum.tasks import texts
from tests.measures import within

FRONT = [
    "Song of the grey newt in cold ponds",
    "Ann Newt, Bo Toad",
    "doi: 10.1234/newts.7",
    "Abstract",
]
LEFT = [
    "Newts sang in ponds of the north. The song was loud-",
    "est at dusk, in all of the forty ponds that we saw.",
    "Introduction",
    "The song of newts is known since the days of Moss,",
    "who heard it at the tarn.",
]
RIGHT = [
    "Methods",
    "We listened at night, with microphones below the ice,",
    "and counted songs.",
    "Results",
    "Grey newts sang eleven times an hour in cold ponds;",
    "in warm ponds they never sang.",
]
LAST = [
    "Toads hummed in two of the warm ponds, as they always",
    "did.",
    "References",
    "1. Moss A. Tarns. 1999;3:1-9.",
]


def written(*pages):
    """A PDF of pages, each a list of lines with their places."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        drawn = "".join(f"BT /F1 9 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n" for x, y, text in lines)
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return assembled(objects)


def assembled(objects):
    text, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return f"{text}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()


def page(number, *columns):
    head = [(60, 810, f"Journal of Newts 2014;3:{number}"), (290, 30, str(number))]
    placed = [
        (60 + 250 * c, 780 - 12 * i, line)
        for c, column in enumerate(columns)
        for i, line in enumerate(column)
    ]
    return [*head[:1], *placed, *head[1:]]


ARTICLE = written(
    page(1, FRONT + LEFT, RIGHT), page(2, LAST), page(3, ["2. Toad B. Ponds. 2001;3:1-9."])
)


def save(folder, data, name="newts.pdf"):
    path = folder / name
    path.write_bytes(data)
    return path


def test_an_article_in_two_columns(tmp_path):
    article, told = intake.read(save(tmp_path, ARTICLE))
    found = article.document
    assert (found.id, found.title) == ("10.1234/newts.7", FRONT[0])
    assert [(s.kind, found.text[s.start : s.end]) for s in found.sections[1:]] == [
        (
            "abstract",
            "Newts sang in ponds of the north. The song was loudest at dusk, in all of the forty ponds that we saw.",
        ),
        (
            "introduction",
            "The song of newts is known since the days of Moss, who heard it at the tarn.",
        ),
        ("methods", "We listened at night, with microphones below the ice, and counted songs."),
        (
            "results",
            "Grey newts sang eleven times an hour in cold ponds; in warm ponds they never sang.",
        ),
        ("results", "Toads hummed in two of the warm ponds, as they always did."),
    ]
    assert told.problems == (pdf._AS_DRAWN,)


def test_without_an_identifier_a_reader_sees_the_name_of_the_file(tmp_path):
    for folder, when in (("a", "dusk"), ("b", "dawn")):
        (tmp_path / folder).mkdir()
        save(
            tmp_path / folder,
            ARTICLE.replace(b"10.1234/newts.7", b"around the tarn").replace(b"dusk", when.encode()),
        )
    found = texts.documents([tmp_path / "a/newts.pdf", tmp_path / "b/newts.pdf"]).documents
    assert [each.id.rpartition("-")[0] for each in found] == ["newts.pdf", "newts.pdf"]
    assert found[0].id != found[1].id


def test_a_scan_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"as of a scan .*run OCR first"):
        list(intake.documents(save(tmp_path, written(page(1), page(2)))))


@pytest.mark.parametrize("cut", [10, 300])
def test_a_damaged_file_is_refused_in_one_line(tmp_path, cut):
    path = save(tmp_path, ARTICLE[:cut])
    with pytest.raises(InputError) as error:
        list(intake.documents(path))
    assert str(error.value).startswith(f"{path}: ")
    assert len(str(error.value).splitlines()) == 1


def test_more_bytes_or_pages_than_an_article_has_are_refused(tmp_path):
    large = save(tmp_path, ARTICLE)
    with large.open("r+b") as file:
        file.truncate(64 * 2**20 + 1)
    with pytest.raises(InputError, match="expected an article, got more than 64 MB"):
        list(intake.documents(large))
    with pytest.raises(InputError, match="a PDF of 1001 pages; expected an article"):
        list(intake.documents(save(tmp_path, written(*[[]] * 1001))))


def test_the_limits_are_those_that_are_promised():
    # SECURITY.md: a minute of processor time, 2 GB of memory; where neither can be set, ten
    # minutes.
    assert (pdf.SECONDS, pdf.MEMORY, pdf.WAIT) == (60, 2 * 2**30, 10 * 60)


def test_lines_are_joined_in_linear_work():
    hyphenated = ["the song was loud-", "est at dusk-", "Newts sang"]
    assert pdf._joined(hyphenated) == "the song was loudest at dusk- Newts sang"
    words = ["newts sing"] * 200_000
    assert len(pdf._joined(words)) == 200_000 * 11 - 1
    # Joining one by one copies 200 GB.
    assert within(5, lambda: pdf._joined(words))


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
@pytest.mark.parametrize("password", ["", "tarn"])
def test_an_encrypted_article_is_read_unless_it_needs_a_password(tmp_path, algorithm, password):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(ARTICLE))
    writer.encrypt(password, "owner", algorithm=algorithm)
    data = io.BytesIO()
    writer.write(data)
    path = save(tmp_path, data.getvalue())
    if password:
        with pytest.raises(InputError, match="an encrypted PDF; save it without a password"):
            list(intake.documents(path))
    else:
        (plain,) = intake.documents(save(tmp_path, ARTICLE, "plain.pdf"))
        (read,) = intake.documents(path)
        assert read.text == plain.text


def test_without_the_library_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(InputError, match=r"pip install .*\[pdf\]'"):
        list(intake.documents(save(tmp_path, ARTICLE)))


def nested(depth):
    """A PDF of forms of which each draws the next one twice: its text doubles with every form."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>"]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    forms = "/Resources << /Font << /F1 3 0 R >> /XObject << /X {} 0 R >> >>"
    objects.append(
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R {forms.format(6)} >>"
    )
    drawn = "/X Do /X Do"
    objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    for number in range(7, depth + 7):
        form = f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] {forms.format(number)}"
        objects.append(f"<< {form} /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return assembled([*objects, objects[4].replace(drawn, "BT (x) ET  ")])


def test_a_hostile_file_is_given_up_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "SECONDS", 1)
    path = save(tmp_path, nested(40))
    with pytest.raises(InputError, match="takes too long or too much memory to read"):
        list(intake.documents(path))
    monkeypatch.setattr(pdf, "MEMORY", 2**24)
    with pytest.raises(InputError, match="takes too long or too much memory to read"):
        list(intake.documents(save(tmp_path, ARTICLE)))
