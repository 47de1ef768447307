"""Which contacts of a plan change the carrier of a thing at their very time, whatever touches what."""

from hoi_edit.scene.scene import Contact, Scene


def is_handover(scene: Scene, contact: Contact) -> bool:
    """Whether what lies or is held goes over into another hold then, or is put down."""
    return contact.at_its_time or is_declared_hull(scene, contact)


def is_declared_hull(scene: Scene, contact: Contact) -> bool:
    """Whether a grasp of what is no ball is only planned: it is held then, be that in the hand or beside it."""
    return contact.declared and contact.catches and not scene.thing(contact.object).shape.lies_on_palm
