"""The ten pages of the sample brochure: its words, and where they stand (points)."""

from __future__ import annotations

from collections.abc import Callable

from sample_layout import CORAL, MARGIN, PALE, TEAL, WIDTH, Brochure


def draw_cover(b: Brochure) -> None:
    b.start_page("Instruments for a living sea")
    b.picture((0, 0, WIDTH, 661), "hero")
    b.page.draw_rect((MARGIN, 690, MARGIN + 46, 694), color=None, fill=CORAL)
    b.html((MARGIN, 702, 420, 795), '<p class="cover">Instruments for<br/>a living sea</p>')
    b.html((MARGIN, 796, 380, 815), '<p class="small">Company brochure 2036</p>')
    b.picture((395, 748, 547, 788), "logo")


def draw_about(b: Brochure) -> None:
    b.start_inner_page("Who we are", "WHO WE ARE")
    b.captioned(
        (MARGIN, 84, 547, 361), "fjord",
        "Figure 1. Morning on the Hallskar fjord. Every instrument spends its first"
        " night here.",
    )  # fmt: skip
    b.html((MARGIN, 404, 547, 442), "<h1>We listen to water</h1>")
    b.html(
        (MARGIN, 444, 547, 500),
        '<p class="lead">Nerivane builds instruments for people who look after coasts, harbours and'
        " reefs: small enough to carry, plain enough to trust, and made to be repaired.</p>",
    )
    b.html(
        (MARGIN, 506, 288, 690),
        "<p>We began in a boathouse with one bench and a borrowed crane. Today sixty-four people"
        " design, build and mend our instruments under one roof at the end of the fjord.</p>"
        "<p>Nothing leaves the house sealed for good. Each housing opens with one key, each battery"
        " can be changed on deck, and every spare part is kept for fifteen years.</p>",
    )
    b.html(
        (306, 506, 547, 690),
        "<p>Our customers are harbour masters, fish farmers, divers and marine biologists. They"
        " measure currents, inspect hulls, count kelp and watch the tide come in.</p>"
        "<p>What they learn belongs to them: our instruments store their readings in open formats"
        " and never call home.</p>",
    )
    facts = (
        ("64", "people under one roof"),
        ("15 years", "of spare parts kept"),
        ("31", "countries with our instruments"),
    )
    b.numbers(700, facts)


def draw_ossimar(b: Brochure) -> None:
    b.start_inner_page("Products", "PRODUCTS")
    b.outline.append([2, "Ossimar", b.page.number + 1])
    b.html((MARGIN, 82, 547, 100), '<p class="eyebrow">UNDERWATER DRONE</p>')
    b.html((MARGIN, 98, 547, 136), "<h1>Ossimar</h1>")
    b.html(
        (MARGIN, 138, 547, 178),
        '<p class="lead">A calm pair of eyes at three hundred metres, launched by one person from a'
        " rubber boat.</p>",
    )
    b.captioned(
        (MARGIN, 186, 547, 518), "drone", "Figure 2. The Ossimar with its four vectored thrusters."
    )
    b.html(
        (MARGIN, 556, 288, 690),
        "<h2>Holds still in a current</h2>"
        "<p>Four thrusters answer a hundred times a second, so the"
        " Ossimar hovers within a hand's breadth of a pier while the tide runs at two knots.</p>",
    )
    b.html(
        (306, 556, 547, 690),
        "<h2>Sees in murky water</h2>"
        "<p>Behind the dome a wide sensor gathers light down to a"
        " hundredth of a lux. Two lamps below it switch off on their own when plankton would only"
        " throw the light back.</p>",
    )
    b.numbers(
        700, (("300 m", "depth rating"), ("9.4 h", "on one charge"), ("8.7 kg", "ready to dive"))
    )


def draw_tellune(b: Brochure) -> None:
    b.start_inner_page("Tellune", "PRODUCTS", level=2)
    b.captioned((MARGIN, 84, 301, 395), "buoy", "Figure 3. The Tellune on the calibration floor.")
    b.html((325, 84, 547, 102), '<p class="eyebrow">TIDE SENSOR</p>')
    b.html((325, 100, 547, 136), "<h1>Tellune</h1>")
    b.html(
        (325, 138, 547, 236),
        '<p class="lead">A moored sensor that writes down the height of the sea every second, for'
        " eighteen months without a visit.</p>",
    )
    b.html(
        (325, 242, 547, 420),
        "<h2>The sun is enough</h2>"
        "<p>Three solar panels on the shoulder of the float fill a battery"
        " that lasts forty dark days. The mast keeps its aerial above a four-metre swell.</p>",
    )
    b.html(
        (MARGIN, 440, 288, 620),
        "<h2>Reads to the millimetre</h2>"
        "<p>A pressure cell in the keel and a radar eye in the mast"
        " head check each other. When they disagree, the Tellune says so in its log and keeps both"
        " readings.</p>",
    )
    b.html(
        (306, 440, 547, 620),
        "<h2>At home anywhere</h2>"
        "<p>From the mud of an estuary to the chop of an open harbour: one"
        " anchor, one chain and twenty minutes of work put a Tellune in place. A child can read its"
        " signal from the quay.</p>",
    )
    b.panel((MARGIN, 600, 547, 676))
    b.html(
        (66, 612, 530, 672),
        '<p class="lead">«We moored six of them before the winter storms and found all six where we'
        ' had left them.»</p><p class="small">Harbour office, Port Velloy</p>',
    )
    b.numbers(
        700,
        (
            ("1 mm", "resolution of height"),
            ("18 months", "between two visits"),
            ("24 kg", "with its keel"),
        ),
    )


def draw_accessories(b: Brochure) -> None:
    b.start_inner_page("Quillo and Lanthe", "PRODUCTS", level=2)
    b.html((MARGIN, 82, 547, 118), "<h1>In the hand</h1>")
    b.captioned((MARGIN, 128, 348, 338), "handset", "Quillo handheld controller", "label")
    b.html(
        (368, 128, 547, 340),
        "<h2>Quillo</h2>"
        "<p>One controller for everything that dives. The screen stays readable in"
        " full sun and shows the depth profile of the last ten minutes.</p><p>Its keys are wide"
        " enough for gloves, and its sticks have no holes that salt could enter.</p>",
    )
    b.captioned((247, 392, 547, 602), "lamp", "Lanthe dive lamp", "label")
    b.html(
        (MARGIN, 392, 230, 610),
        "<h2>Lanthe</h2>"
        "<p>A lamp for night dives and wreck surveys. Four cooling ribs carry the heat"
        " of the diodes into the water, so it never needs to dim.</p><p>The handle folds flat, and"
        " the bezel unscrews with a coin.</p>",
    )
    b.numbers(
        700,
        (
            ("11 h", "Quillo on one charge"),
            ("6 500 lm", "Lanthe at full power"),
            ("1 key", "opens both housings"),
        ),
    )


TABLE = (
    ("", "Ossimar", "Tellune", "Quillo", "Lanthe"),
    ("Purpose", "inspection", "tide height", "control", "light"),
    ("Depth rating", "300 m", "20 m", "splash-proof", "180 m"),
    ("Weight", "8.7 kg", "24 kg", "0.9 kg", "1.6 kg"),
    ("Battery life", "9.4 h", "40 days", "11 h", "5 h"),
    ("Housing", "polymer", "polyethylene", "magnesium", "aluminium"),
    ("Interface", "fibre tether", "radio, satellite", "radio", "none"),
    ("Price, crowns", "84 000", "61 500", "9 800", "4 200"),
)


def draw_data(b: Brochure) -> None:
    b.start_inner_page("Technical data", "TECHNICAL DATA")
    b.html((MARGIN, 82, 547, 118), "<h1>Technical data</h1>")
    b.html(
        (MARGIN, 122, 547, 166),
        '<p class="lead">All figures are measured in our own basin at eight degrees Celsius and'
        " checked by a second pair of hands.</p>",
    )
    b.html(
        (MARGIN, 184, 547, 202),
        '<p class="caption">Table 1. The four instruments of the 2036 range.</p>',
    )
    widths, top, height = (107, 98, 104, 98, 92), 206, 34
    for row, cells in enumerate(TABLE):
        y = top + row * height
        fill = TEAL if row == 0 else (PALE if row % 2 == 0 else (1, 1, 1))
        b.page.draw_rect(
            (MARGIN, y, 547, y + height), color=(0.8, 0.87, 0.89), fill=fill, width=0.6
        )
        x = MARGIN
        for column, cell in enumerate(cells):
            colour = "#ffffff" if row == 0 else "#23414b"
            weight = "bold" if row == 0 or column == 0 else "normal"
            style = f"color:{colour};font-weight:{weight};font-size:9.6px"
            if cell:
                b.html(
                    (x + 9, y + 9, x + widths[column], y + height), f'<p style="{style}">{cell}</p>'
                )
            x += widths[column]
    b.html(
        (MARGIN, 506, 288, 700),
        "<h2>Care</h2>"
        "<p>Rinse with fresh water after every dive and let the instrument dry with its"
        " housing open. Grease the ring seal twice a year; a tube comes in the box.</p>",
    )
    b.html(
        (306, 506, 547, 700),
        "<h2>Repair</h2>"
        "<p>Send it to us or mend it yourself: drawings and part numbers are printed"
        " inside every lid. A new seal set costs 120 crowns, postage included.</p>",
    )
    b.numbers(
        700,
        (
            ("8 °C", "in the test basin"),
            ("5 years", "of warranty"),
            ("120", "crowns for a set of seals"),
        ),
    )


def draw_history(b: Brochure) -> None:
    b.start_inner_page("How we got here", "HISTORY")
    b.html((MARGIN, 82, 547, 118), "<h1>How we got here</h1>")
    b.captioned(
        (MARGIN, 126, 547, 403), "lighthouse",
        "Figure 4. Skerry light, where our first instrument was moored in 2024.",
    )  # fmt: skip
    b.html(
        (MARGIN, 448, 288, 575),
        "<h2>The organ builder</h2>"
        "<p>Before she founded Nerivane, Maren Tosk repaired church organs"
        " for eleven years. Leather, valves and air under pressure taught her what keeps water out"
        " of a housing.</p>",
        place="maren-text",
    )
    b.html(
        (306, 448, 547, 575),
        "<h2>A name on the door</h2>"
        "<p>In 2023 Idris Falcovar, who had mapped caves on two"
        " continents, answered her note on a harbour notice board. The two of them rented the"
        " boathouse that same week.</p>",
    )
    b.html(
        (MARGIN, 592, 288, 780),
        "<h2>Project Brindlecove</h2>"
        "<p>In 2031 a team of three set out to replace the tide gauge"
        " at the quay. The work ran under the name Brindlecove and filled nine notebooks."
        " Brindlecove has been sold as the Tellune since the spring of 2034.</p>",
    )
    b.html(
        (306, 592, 547, 780),
        "<h2>The year of the flood</h2>"
        "<p>In 2032 the fjord stood two metres deep in the workshop."
        " Revenue fell for the only time so far. Oona Brevik moved the calibration room behind a"
        " flood gate, and we were building again within eight weeks.</p>",
    )


def draw_figures(b: Brochure) -> None:
    b.start_inner_page("Our figures", "FIGURES")
    b.html((MARGIN, 82, 547, 118), "<h1>Our figures</h1>")
    b.html(
        (MARGIN, 120, 547, 162),
        '<p class="lead">A company of our size needs patience more than growth. We were lucky to'
        " have both.</p>",
    )
    b.captioned((MARGIN, 172, 547, 434), "revenue", "Figure 5. Revenue from 2029 to 2035.")
    b.captioned(
        (MARGIN, 466, 547, 728), "endurance", "Figure 6. Endurance of the Ossimar at depth."
    )
    b.html(
        (MARGIN, 754, 547, 800),
        "<p>Half of what we earn goes back into tools and apprentices; a tenth pays for the care of"
        " instruments that schools and rescue crews have on loan.</p>",
    )


def draw_house(b: Brochure) -> None:
    b.start_inner_page("Our house", "HEADQUARTERS")
    b.html((MARGIN, 82, 547, 118), "<h1>Our house at the fjord</h1>")
    b.html(
        (MARGIN, 120, 547, 162),
        '<p class="lead">Whoever visits us walks the same way as an instrument: in by the hall,'
        " round the basin, out by the calibration room.</p>",
    )
    b.captioned(
        (MARGIN, 170, 547, 469), "plan", "Figure 7. Floor plan of the ground floor at Hallskar."
    )
    b.html(
        (MARGIN, 508, 288, 680),
        "<h2>Water indoors</h2>"
        "<p>The basin holds ninety tonnes of fjord water. A wave machine drives"
        " it, and a window in its side lets visitors watch from the gallery.</p>",
    )
    b.html(
        (306, 508, 547, 680),
        "<h2>Open doors</h2>"
        "<p>On the first Saturday of each month the canteen serves fish soup to"
        " everyone who brings an instrument to be mended, whoever made it.</p>",
    )
    b.numbers(
        700,
        (
            ("90 t", "of water in the basin"),
            ("2 100 m²", "on the ground floor"),
            ("12 times", "a year: open house"),
        ),
    )


PEOPLE = (
    ("maren", "Maren Tosk", "Founder and managing director"),
    ("idris", "Idris Falcovar", "Head of design"),
    ("oona", "Oona Brevik", "Head of calibration"),
    ("teo", "Teo Marchetal", "Workshop and repairs"),
)


def draw_people(b: Brochure) -> None:
    b.start_inner_page("People", "PEOPLE")
    b.html((MARGIN, 82, 547, 118), "<h1>People you will meet</h1>")
    for i, (name, label, role) in enumerate(PEOPLE):
        x, y = MARGIN + (i % 2) * 273, 126 + (i // 2) * 297
        b.picture((x, y, x + 226, y + 258), name)
        b.html((x, y + 264, x + 226, y + 279), f'<p class="label">{label}</p>')
        b.html((x, y + 277, x + 226, y + 292), f'<p class="small">{role}</p>')
    b.panel((MARGIN, 728, 547, 786))
    b.html(
        (66, 734, 530, 785),
        "<h2>Come and see us</h2>"
        "<p>Nerivane Ocean Instruments, Quay 7, Hallskar. The bell is beside"
        " the anchor.</p>",
    )


PAGES: tuple[Callable[[Brochure], None], ...] = (
    draw_cover,
    draw_about,
    draw_ossimar,
    draw_tellune,
    draw_accessories,
    draw_data,
    draw_history,
    draw_figures,
    draw_house,
    draw_people,
)
