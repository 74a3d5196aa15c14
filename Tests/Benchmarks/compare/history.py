"""What earlier measurements found: Tests/Benchmarks/history.tsv, a row for each group of images, and its chart.

A ratio is Tessera's processor time divided by that of the bare C program in the same round; a row has the median,
the least and the most of its rounds, or only the median, if the others were not kept. Rows are added and never changed.
"""
import csv
import os
import statistics

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE, CHART = os.path.join(HERE, "history.tsv"), os.path.join(HERE, "history.svg")
COLUMNS = ["date", "version", "machine", "group", "rounds", "ratio", "least", "most"]

# A guard compares with the median of this many last rows, and allows a quarter more: other programs on the machine
# disturb both.
LAST, ALLOWANCE = 5, 1.25


def rows():
    if not os.path.exists(TABLE):
        return []
    with open(TABLE, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def add(date, version, machine, group, ratios):
    """Adds a row to the table, and draws the chart again."""
    row = [date, version, machine, group, len(ratios),
           *(f"{number:.3f}" for number in (statistics.median(ratios), min(ratios), max(ratios)))]
    is_new = not os.path.exists(TABLE)
    with open(TABLE, "a", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        writer.writerow(row)
    with open(CHART, "w") as file:
        file.write(chart(rows()))


def last(group, machine):
    """The last ratios of a group, of this machine if there are any, oldest first."""
    found = [row for row in rows() if row["group"] == group]
    same = [row for row in found if row["machine"] == machine]
    return [float(row["ratio"]) for row in same or found][-LAST:]


# The chart: a panel for each group, a dot for each row with its spread, in the order of the table.
WIDTH, PANEL, LEFT, TOP = 720, 120, 90, 24


def chart(table):
    groups = list(dict.fromkeys(row["group"] for row in table))
    height = TOP + len(groups) * PANEL
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
             '<text x="8" y="15" font-weight="bold">Processor time relative to bare C: less is better</text>']
    for number, group in enumerate(groups):
        parts += panel([row for row in table if row["group"] == group], group, TOP + number * PANEL)
    return "\n".join([*parts, "</svg>"]) + "\n"


def panel(table, group, top):
    table = [{**row, "least": row["least"] or row["ratio"], "most": row["most"] or row["ratio"]} for row in table]
    highest = max(1.2, *(float(row["most"]) for row in table))

    def height(ratio):
        return top + 10 + (PANEL - 40) * (1 - float(ratio) / highest)

    bottom, parts = height(0), [f'<text x="8" y="{top + 20}">{group}</text>']
    for mark in (0, 0.5, 1):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 12}" y1="{height(mark):.1f}" y2="{height(mark):.1f}" stroke="#ccc"/>'
                     f'<text x="{LEFT - 6}" y="{height(mark) + 4:.1f}" text-anchor="end">{mark}</text>')
    step = (WIDTH - LEFT - 40) / max(1, len(table))
    places = [LEFT + step * (index + 0.5) for index in range(len(table))]
    points = " ".join(f"{x:.1f},{height(row['ratio']):.1f}" for x, row in zip(places, table))
    parts.append(f'<polyline points="{points}" fill="none" stroke="#36c"/>')
    for x, row in zip(places, table):
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{height(row["least"]):.1f}" y2="{height(row["most"]):.1f}" '
                     f'stroke="#36c" stroke-width="3" opacity="0.4"/>'
                     f'<circle cx="{x:.1f}" cy="{height(row["ratio"]):.1f}" r="3" fill="#36c">'
                     f'<title>{row["date"]} {row["version"]}, {row["machine"]}: {row["ratio"]}</title></circle>'
                     f'<text x="{x:.1f}" y="{height(row["most"]) - 5:.1f}" text-anchor="middle">{float(row["ratio"]):.2f}</text>'
                     f'<text x="{x:.1f}" y="{bottom + 14:.1f}" text-anchor="middle" fill="#666">{row["version"]}</text>')
    return parts
