"""Mail in all its forms: what becomes words, what is passed over, and that nothing in a message is an error."""

import gzip
import mailbox
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.features import Hashed
from novikoff.data.mail_text import MOST_TEXT, _of_html, text_of
from novikoff.data.readers import Options, Reading, read
from novikoff.data.readers.mail import MOST_BYTES, messages, rows
from novikoff.data.sources import ReadError


def reading():
    return Reading(Options(unlabelled=True), "mail", whole=False)


def words(content):
    return text_of(content.encode() if isinstance(content, str) else content).lower().split()


def message(subject="Hello", body="the body"):
    new = EmailMessage()
    new["Subject"], new["From"], new["To"] = subject, "Ann Lee <ann@example.org>", "bob@example.com"
    new.set_content(body)
    return new


def test_headers_have_their_names_before_them():
    found = words(bytes(message("Größe: ein Angebot")))
    assert {"subject_größe", "subject_angebot", "from_ann", "from_example", "from_org", "to_bob", "the", "body"} <= set(found)


@pytest.mark.parametrize("charset", ["utf-8", "latin-1", "utf-16", "koi8-r", "iso-2022-jp", "big5"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_encodings(charset, encoding):
    text = {"koi8-r": "Привет мир", "iso-2022-jp": "日本語 です", "big5": "繁體 中文"}.get(charset, "größer als früher")
    new = EmailMessage()
    new.set_content(text.encode(charset), "text", "plain", cte=encoding)
    new.set_param("charset", charset)
    assert words(bytes(new)) == text.lower().split()


@pytest.mark.parametrize(
    "charset", ["no-such", "hex", "idna", "punycode", "unicode_escape", "undefined", "x" * 300, "ascii", "\0"]
)
def test_odd_encodings_are_read_as_text(charset):
    assert "früher" in words(f"Subject: x\nContent-Type: text/plain; charset={charset}\n\nfrüher words\n")


def test_bytes_that_are_no_text_are_replaced():
    assert words(b"Subject: x\nContent-Type: text/plain; charset=utf-8\n\ngood \xff\xfe bad\n") == ["good", "��", "bad"]


def test_attachments_are_known_by_type_and_name():
    new = message()
    new.add_attachment(b"secret words", "application", "pdf", filename="Invoice 2024.pdf")
    new.add_attachment("more secret", filename="notes.txt")
    found = words(bytes(new))
    assert {"attachment_application_pdf", "file_invoice", "file_2024", "attachment_text_plain", "file_notes"} <= set(found)
    assert "secret" not in found


def test_html_is_what_a_reader_sees():
    new = message()
    new.add_alternative(
        "<html><head><style>p { color: red }</style><script>var evil = 1 < 2;</script></head><body><p>Buy V<b>i</b>agra"
        "<br>today &amp; save&nbsp;more</p><!-- <p>hidden</p> --> 1 < 2 <a HREF='https://u:p@Evil.example.com:80/x?y'>here</a>",
        subtype="html",
    )
    found = words(bytes(new))
    assert {"viagra", "today", "save", "more", "here", "link_evil_example_com"} <= set(found)
    assert not {"evil", "hidden", "color", "var", "p"} & set(found)


def test_only_html_and_forwarded_mail():
    inner = message("Inner subject", "inner words")
    new = EmailMessage()
    new["Subject"] = "Fwd"
    new.set_content("<p>outer <i>words</i></p>", subtype="html")
    new.add_attachment(inner)
    assert {"outer", "words", "inner", "subject_fwd"} <= set(words(bytes(new)))


def test_links_in_plain_text():
    assert "link_example_org" in words("Subject: x\n\nsee http://example.org/page\n")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n\n", []),
        (b"Subject: =?utf-8?b?broken", ["subject_utf", "subject_broken"]),
        (b"Content-Type: multipart/mixed; boundary=x\n\n--x\nno end", ["no", "end"]),
        (b"Content-Type: multipart/mixed\n\nno boundary", ["attachment_multipart_mixed"]),
        (b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!!", []),
        (b"Content-Type: text/plain; charset=\nContent-Transfer-Encoding: x-none\n\nwords", ["words"]),
        (b'From: <<<@@>>, ;:"\nTo: \xff\xfe\n\nwords', ["words"]),
        (b"Content-Disposition: attachment; filename*=x''%\n\nwords", ["attachment_text_plain"]),
    ],
)
def test_broken_messages_are_read(content, expected):
    assert words(content) == expected


@pytest.mark.parametrize(
    "content",
    [
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(2000)),
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nwords\n" * 100_000,
    ],
)
def test_messages_of_too_many_parts_are_read_as_plain_text(content):
    assert text_of(content) == content.decode()[:MOST_TEXT]


PIECES = [b"Subject: ", b"From: ", b"Content-Type: ", b"text/html", b"multipart/mixed; boundary=b", b"\n", b"--b", b"<a "]
PIECES += [b"Content-Transfer-Encoding: base64", b"Content-Disposition: attachment", b"filename*0*=", b"charset=", b"=?utf-8?q?"]
PIECES += [b"<!--", b"\xff", b"(", b",", b";", b"@", b'"']


@given(st.binary(max_size=200) | st.lists(st.sampled_from(PIECES)).map(b"".join))
def test_whatever_the_bytes_there_are_words(content):
    assert isinstance(text_of(content), str)


@pytest.mark.parametrize("part", ["<!--", "<a ", "<a href='", "</", "<![CDATA[", "<script>", "<style", "<?"])
def test_html_without_end_takes_no_longer(part):
    """A tag that does not end hides the rest of the text. `html.parser` takes minutes for these."""
    assert "".join(_of_html((part * MOST_TEXT)[:MOST_TEXT])).strip() == ""


@pytest.mark.parametrize("part", ["&", "href=http://", "<"])
def test_html_without_tags_is_text(part):
    text = (part * MOST_TEXT)[:MOST_TEXT]
    assert _of_html(text) == [text]


def test_huge_headers_take_no_longer():
    for header in ("From: " + "a," * MOST_BYTES, "Content-Type: text/plain; " + "a=b;" * MOST_BYTES, "To: x\n" * 20000):
        assert "words" in words(f"{header[:MOST_BYTES]}\n\nwords\n")


def test_mailboxes(tmp_path):
    texts = ["first", "second\n\nFrom here on it is quoted", "third"]
    box = mailbox.mbox(tmp_path / "box.mbox")
    folder = mailbox.Maildir(tmp_path / "folder")
    (tmp_path / "loose").mkdir()
    for i, text in enumerate(texts):
        box.add(message(f"number{i}", text))
        folder.add(message(f"number{i}", text))
        (tmp_path / "loose" / f"{i}.eml").write_bytes(bytes(message(f"number{i}", text)))
    box.close()
    (tmp_path / "box.gz").write_bytes(gzip.compress((tmp_path / "box.mbox").read_bytes()))
    for name in ("box.mbox", "box.gz", "folder", "loose"):
        found = sorted(messages(str(tmp_path / name), reading()), key=lambda m: m.text)
        assert [next(word for word in m.text.split() if "number" in word) for m in found] == [
            f"subject_number{i}" for i in range(3)
        ]
        assert ["quoted" in m.text for m in found] == [False, True, False]
        assert all(name in m.where for m in found)
    assert [m.where.split(", ")[1] for m in messages(str(tmp_path / "box.mbox"), reading())] == [
        "message 1",
        "message 2",
        "message 3",
    ]


def test_stray_files_in_a_maildir_are_counted(tmp_path):
    box = mailbox.Maildir(tmp_path / "box")
    box.add(message())
    box.close()
    (tmp_path / "box" / "tmp" / "half").write_bytes(bytes(message()))
    (tmp_path / "box" / ".Trash" / "cur").mkdir(parents=True)
    (tmp_path / "box" / ".Trash" / "cur" / "1").write_bytes(bytes(message()))
    (tmp_path / "box" / "dovecot-uidlist").write_text("3 V1 N2 Gabc\n1 :name\n")
    (tmp_path / "box" / "dovecot.index.cache").write_bytes(bytes(range(256)))
    (tmp_path / "box" / "maildirfolder").write_text("")
    (tmp_path / "box" / "cur" / ".nfs0001").write_bytes(bytes(message()))
    (tmp_path / "box" / "cur" / "gone").symlink_to(tmp_path / "nowhere")
    now = reading()
    assert len(list(messages(str(tmp_path / "box"), now))) == 1
    assert now.passed_over == 4


def test_what_is_no_mail_is_refused(tmp_path):
    (tmp_path / "notes").write_text("Some notes: these.\n")
    with pytest.raises(ReadError, match=r"notes: is not mail; give an mbox file, a message, a Maildir or a folder of messages"):
        list(messages(str(tmp_path / "notes"), reading()))
    with pytest.raises(ReadError, match=r"none: cannot be read \(No such file or directory\)"):
        list(messages(str(tmp_path / "none"), reading()))


def test_rows_have_counts(tmp_path):
    features = Hashed(12, scheme="mail")
    X = rows(["one two two", "", "three"], features)
    assert [sorted(abs(X[[i]].data)) for i in range(3)] == [[1, 2], [], [1]]
    assert features.name(X[[2]].indices[0]) == "three"


def test_mail_as_data_has_no_labels(tmp_path):
    box = mailbox.mbox(tmp_path / "box.mbox")
    for i in range(3):
        box.add(message(body=f"number{i}"))
    box.close()
    assert read(tmp_path / "box.mbox", unlabelled=True).X.shape == (3, 2**20)
    with pytest.raises(ReadError, match=r"box\.mbox: mail has no labels; learn from it with `novikoff mail learn"):
        read(tmp_path / "box.mbox")
