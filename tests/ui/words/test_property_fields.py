"""Numbers of a thing, as they are shown and typed."""

import numpy as np

import hoi_edit as hoi
from ui.words.property_fields import Field, fields_of


def test_numbers_are_typed_in_the_units_that_people_use() -> None:
    light, heavy = (hoi.Thing("thing", body, hoi.Flying(np.zeros(3))) for body in
                    (hoi.ball(0.12, 0.035), hoi.box(2.5, [0.1, 0.1, 0.1])))  # fmt: skip
    assert [(own.name, round(own.shown, 9), own.unit) for own in fields_of(light)] == [
        ("mass", 120.0, "g"), ("radius", 35.0, "mm"), ("restitution", 1.0, ""), ("friction", 0.0, ""),
    ]  # fmt: skip
    assert [own.words for own in fields_of(light)] == ["120 g", "35 mm", "1", "0"]
    box = fields_of(heavy)[0]
    assert (box.name, box.shown, box.unit) == ("mass", 2.5, "kg")
    mass = fields_of(light)[0]
    assert mass.value(float(np.float32(137.3))) == 0.1373 and not mass.differs(float(np.float32(120.0)))
    assert mass.differs(121.0)
    assert [(own.name, own.shown) for own in fields_of(hoi.ground())] == [("restitution", 1.0), ("friction", 1.0)]


def test_numbers_are_read_as_people_type_them() -> None:
    mass, place, bounce = Field("mass", 120.0, "g", 1e-3), Field("x", 0.5, "m"), Field("restitution", 0.8)
    assert [mass.read(own) for own in ("137", " 137 g ", "0.2 kg", "0,2kg", "1e2")] == [
        137.0,
        137.0,
        200.0,
        200.0,
        100.0,
    ]
    assert place.read("-25 cm") == -0.25 and bounce.read(".5") == 0.5
    assert [mass.read(own) for own in ("", "abc", "1 m", "1.2.3", "12 stones")] == [None] * 5
    assert bounce.read("1 kg") is None
