from __future__ import annotations

from xml.etree import ElementTree

from diamond.service.models.curve_picture import MOST_CHARTS, draw_curves


def test_each_metric_has_a_chart_with_its_last_value() -> None:
    picture = draw_curves({"loss": [[0, 2.0], [1, 1.0], [2, 0.5]], "acc": [[0, 0.1], [2, 0.9]]})
    root = ElementTree.fromstring(picture)
    assert picture.count("<polyline") == 2 and ">0.5<" in picture and ">0.9<" in picture
    assert root.tag.endswith("svg")


def test_names_are_text_and_there_are_not_too_many() -> None:
    hostile = {f"<script>alert({n})</script>": [[0, 1.0]] for n in range(20)}
    picture = draw_curves(hostile)
    ElementTree.fromstring(picture)
    assert "<script" not in picture and picture.count("<g ") == MOST_CHARTS


def test_flat_single_and_missing_curves() -> None:
    assert draw_curves({}) == "" and draw_curves({"loss": []}) == ""
    assert "<circle" in draw_curves({"loss": [[3, 1.0]]})
    assert "nan" not in draw_curves({"loss": [[0, 1.0], [1, 1.0]]})
