"""PDFs by other people's programs: made by ReportLab and fpdf2 (`make FOLDER`), read by pypdf and pdfminer.six (paths on
standard input, a line of JSON for each)."""
import json
import logging
import os
import random
import sys

WORDS = "harbour ledger council tide affliction official waffle fjord naive facade cooperate 1847 winter-quarters office stiff".split()


def prose(seed, words, count):
    chance = random.Random(seed)
    return " ".join(chance.choice(words) for _ in range(count)) + "."


def by_reportlab(folder):
    import reportlab
    from reportlab.lib.pagesizes import A4, landscape
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen import canvas
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table

    vera = os.path.join(os.path.dirname(reportlab.__file__), "fonts", "Vera.ttf")
    pdfmetrics.registerFont(TTFont("Vera", vera))
    for font in ("Helvetica", "Times-Roman", "Courier", "Vera"):
        for align in (0, 4):
            path = os.path.join(folder, f"reportlab-{font}-{align}.pdf")
            style = ParagraphStyle("s", fontName=font, fontSize=10, leading=12, alignment=align, spaceAfter=8)
            width, height = A4
            frames = [Frame(40 + x * (width / 2 - 30), 40, width / 2 - 50, height - 80) for x in (0, 1)]
            document = BaseDocTemplate(path, title=f"Report in {font}", lang="en")
            document.addPageTemplates(PageTemplate(frames=frames))
            document.build([Paragraph(prose(n, WORDS, 120), style) for n in range(20)] + [Table([["left", "middle", "right"], ["one", "two", "three"]])])
    page = canvas.Canvas(os.path.join(folder, "reportlab-turned.pdf"), pagesize=landscape(A4))
    page.setFont("Helvetica", 11)
    page.saveState()
    page.rotate(90)
    page.drawString(100, -300, "This line goes up the page")
    page.restoreState()
    page.beginForm("form")
    page.drawString(100, 400, "This line is drawn within a form")
    page.endForm()
    page.doForm("form")
    text = page.beginText(100, 300)
    text.setCharSpace(1.5)
    text.textLines("Letters are wide apart here\nand there are two lines of them")
    page.drawText(text)
    page.save()
    locked = canvas.Canvas(os.path.join(folder, "reportlab-encrypted.pdf"), encrypt=StandardEncryption("", ownerPassword="owner", strength=128))
    locked.drawString(100, 700, "Everybody may read this although it is encrypted")
    locked.save()


def by_fpdf(folder):
    import reportlab
    from fpdf import FPDF

    vera = os.path.join(os.path.dirname(reportlab.__file__), "fonts", "Vera.ttf")
    for core in (True, False):
        document = FPDF()
        document.set_title("A title that fpdf2 wrote")
        document.set_lang("en-GB")
        if core:
            document.set_font("Times", size=11)
        else:
            document.add_font("Vera", fname=vera)
            document.set_font("Vera", size=11)
        document.add_page()
        for n in range(12):
            document.multi_cell(0, 5, prose(100 + n, WORDS, 90), align="J", new_x="LMARGIN", new_y="NEXT")
            document.ln(4)
        document.multi_cell(0, 5, "\u00fcber na\u00efve fa\u00e7ade \u00a3 \u00b1 \u00df")
        document.output(os.path.join(folder, f"fpdf2-{'core' if core else 'embedded'}.pdf"))


def read(path):
    import pypdf
    from pdfminer.high_level import extract_text

    told = {"file": path}
    try:
        reader = pypdf.PdfReader(path)
        told["title"] = (reader.metadata or {}).get("/Title") or ""
        told["pypdf"] = "\n".join(page.extract_text() for page in reader.pages)
    except Exception as error:
        told["pypdf"] = None
        told["why"] = type(error).__name__
    try:
        told["pdfminer"] = extract_text(path)
    except Exception:
        told["pdfminer"] = None
    return told


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    if sys.argv[1:2] == ["make"]:
        by_reportlab(sys.argv[2])
        by_fpdf(sys.argv[2])
    else:
        for line in sys.stdin:
            print(json.dumps(read(line.rstrip("\n"))), flush=True)
