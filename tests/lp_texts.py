"""Linear programs written as LP files, in many styles."""

from fractions import Fraction

from hypothesis import strategies as st

NAMES = ["x", "y1", "e1", "eggs", "_z", "a(1,2)", "größe", "q.r", "Tom's", "v_10", "w~1", "stx", "binx", "inner", "...1", ".x"]
NUMBERS = ["0", "1", "1.", ".5", "2.50", "1e3", "1E-3", "12345678901234567890", "0.1", "1e-11", "7.25e+05", "166.47", "3"]
KEYWORDS = {
    "minimize": ["minimize", "Minimize", "MINIMUM", "min"],
    "maximize": ["maximize", "Maximum", "MAX"],
    "constraints": ["subject to", "Subject To", "such that", "st", "S.T.", "SUBJECT \t TO"],
    "bounds": ["bounds", "Bound", "BOUNDS"],
    "integers": ["general", "Generals", "gen", "Integers"],
    "binaries": ["binary", "Binaries", "bin"],
    "end": ["end", "End"],
}
WIDER = {"constraints": ["st."], "integers": ["int", "INT"]}  # words that HiGHS does not know
COMPARED = {"<": ["<="], ">": [">="], "=": ["="]}
WIDELY_COMPARED = {"<": ["<=", "<", "=<"], ">": [">=", ">", "=>"], "=": ["="]}


@st.composite
def lp_text(draw, wide=False):
    """(the text, what it says). If not wide, all of it is understood by HiGHS, too."""

    def one_of(items):
        return draw(st.sampled_from(items))

    def word(section):
        return one_of(KEYWORDS[section] + (WIDER.get(section, []) if wide else []))

    def compared(kind):
        return one_of((WIDELY_COMPARED if wide else COMPARED)[kind])

    def blank():
        return one_of([" ", "  ", "\t", "\n  ", " \\ a comment: x + y >= 2\n ", "\n\n"])

    def close():
        return one_of(["", " "])

    def signed():
        """A number that may stand on the right: its text and its value."""
        sign, number = one_of(["", "-", "- ", "+", "+ - ", "--"]), one_of(NUMBERS)
        return sign + number, (-1) ** sign.count("-") * Fraction(number)

    def expression():
        text, terms = "", {}
        for place, name in enumerate(draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=4))):
            sign = one_of(["", "+", "- "] if place == 0 else ["+", "-", " + ", " - ", "\n  + ", "+ -"])
            number = one_of(["", *NUMBERS])
            apart = name[0] in "eE" or "e" in number.lower() or not name[0].isalpha() or number == "0"
            gap = blank() if apart else one_of(["", blank()])
            text += sign + number + (gap if number else "") + name + close()
            terms[name] = (-1) ** sign.count("-") * Fraction(number or 1)
        return text, terms

    said = {"sense": one_of(["minimize", "maximize"]), "cost": {}, "offset": Fraction(0), "rows": [], "bounds": {}, "names": []}

    def mention(names):
        said["names"] += [name for name in names if name not in said["names"]]

    text = one_of(["", "\\ a comment\n\n", "\\* Problem: a *\\\n"]) + word(said["sense"]) + blank()
    text += one_of(["", "obj: ", "cost:\n"])
    if draw(st.booleans()):
        terms, said["cost"] = expression()
        text += terms
        mention(said["cost"])
        if draw(st.booleans()):
            constant = one_of(NUMBERS)
            sign = one_of(["+", "-"])
            text += f" {sign} {constant}"
            said["offset"] = Fraction(sign + constant)
    text += "\n" + word("constraints") + blank()
    for place in range(draw(st.integers(0, 4))):
        name = one_of(["", f"c{place}", f"row({place})", f"r.{place}"])
        terms, row = expression()
        kind = one_of("<>=")
        right, value = signed()
        low, high = (None if kind == "<" else value), (None if kind == ">" else value)
        before = ""
        if wide and kind != "=" and draw(st.booleans()):
            left, other = one_of([signed(), ("-inf", None)] if kind == "<" else [signed(), ("+ Infinity", None)])
            before = left + close() + compared(kind) + close()
            low, high = (other, high) if kind == "<" else (low, other)
        named = name + one_of([": ", ":", " :\n  "]) if name else ""
        text += named + before + terms + compared(kind) + one_of(["", " ", "\n"]) + right + one_of(["\n", " \n\n", "\\ it\n"])
        said["rows"].append((name, row, low, high))
        mention(row)
    known = [*said["names"], *(["only_bounded"] if draw(st.booleans()) else [])]
    said["used"] = len(said["names"])
    binaries = draw(st.lists(st.sampled_from(known), unique=True, max_size=2)) if known else []
    if draw(st.booleans()):
        text += word("bounds") + "\n"
        for name in known:
            lines, ends = draw(st.sampled_from(["none", "free", "low", "high", "both", "apart", "fixed"])), (0, None)
            low, high = sorted([signed(), signed()], key=lambda pair: pair[1])
            if name in binaries:
                lines, low, high = one_of(["none", "both", "low"]), ("0", Fraction(0)), ("1", Fraction(1))
            if lines == "high" and high[1] < 0:
                low, lines = ("-infinity", None), "both"
            upper, lower = compared("<"), compared(">")
            if lines == "free":
                text, ends = text + f" {name} {one_of(['free', 'FREE', 'Free'])}\n", (None, None)
            elif lines == "low":
                text, ends = text + one_of([f" {name} {lower} {low[0]}\n", f"{low[0]} {upper}{name}\n"]), (low[1], None)
            elif lines == "high":
                text, ends = text + one_of([f" {name}{upper} {high[0]}\n", f" {high[0]} {lower} {name}\n"]), (0, high[1])
            elif lines == "both":
                text, ends = text + f" {low[0]} {upper} {name} {upper} {high[0]}\n", (low[1], high[1])
            elif lines == "apart":
                text, ends = text + f" {name} {upper} {high[0]}\n {name} {lower} {low[0]}\n", (low[1], high[1])
            elif lines == "fixed":
                text, ends = text + f" {name} = {low[0]}\n", (low[1], low[1])
            if lines != "none":
                said["bounds"][name] = ends
                mention([name])
    whole = []
    if draw(st.booleans()) and known:
        whole = draw(st.lists(st.sampled_from(known), unique=True, max_size=3))
        text += word("integers") + "\n" + " ".join(whole) + "\n"
        mention(whole)
    if binaries:
        text += word("binaries") + blank() + "\n".join(binaries) + "\n"
        mention(binaries)
    for name in binaries:
        said["bounds"][name] = (0, 1)
    said["integers"] = len({*whole, *binaries})
    text += one_of(["", "semi\n"]) + word("end") + one_of(["", "\n", "\n\\ over\n"])
    return text, said
