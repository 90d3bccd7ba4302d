"""What Bokeh and Panel work out again for each page, though it is the same for all pages, is worked out once.

About half of the processor time of an opening goes into defaults of properties, which depend on nothing but the class,
and into lists of files, which depend on the server. Bokeh has no switch for it, so that methods of its classes are
replaced; where a version has them no more, they stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import panel.io.document as panel_document
import panel.io.server as panel_server
from bokeh.core.has_props import HasProps, MetaHasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.wrappers import PropertyValueContainer
from bokeh.core.serialization import Serializer
from bokeh.core.types import ID
from bokeh.model import Model, util
from bokeh.model import util as bokeh_references
from bokeh.settings import settings
from panel.io.state import state
from panel.reactive import Syncable
from param.parameters import Filename

Visitor = Callable[[Any], None]
PLAIN = (bool, int, float, str, type(None))
"""Values that nobody can change, and that refer to nothing."""
_PLAIN = frozenset(PLAIN)
_UNKNOWN = object()


def of_models(work_out: Callable[[Any, Visitor], None]) -> Any:
    """Visit what the properties of a model refer to, but for those that have a plain default and no value.

    Bokeh walks through all models of a page whenever some come or go, with the default of every property that could
    refer to a model, and with every number of every column: most of the time in which Run was answered went into that.
    """
    known: dict[type, tuple[list[str], frozenset[str]]] = {}

    def visit_immediate_value_references(value: Any, visitor: Visitor) -> None:
        if not isinstance(value, HasProps):
            work_out(value, visitor)
            return
        if type(value) not in known:
            known[type(value)] = _parted(value)
        looked_at, left = known[type(value)]
        own, made, themed = value._property_values, value._unstable_default_values, value.themed_values()
        named = [name for name in own if name in left]
        named += [name for name in themed or () if name in left and name not in own]
        for name in (*looked_at, *named):
            part = own[name] if name in own else made[name] if name in made else getattr(value, name)
            if type(part) not in _PLAIN and not (isinstance(part, list | dict) and not part):
                util.visit_value_and_its_immediate_references(part, visitor)

    return visit_immediate_value_references


def of_values(work_out: Callable[[Any, Visitor], None]) -> Any:
    """Visit what a value refers to; a container of numbers and texts alone is not walked through."""

    def visit_value_and_its_immediate_references(value: Any, visitor: Visitor) -> None:
        kind = type(value)
        if kind in _PLAIN:
            return
        parts: Any
        if issubclass(kind, list | tuple):
            parts = value
        elif issubclass(kind, dict):
            parts = list(chain.from_iterable(value.items()))
        else:
            work_out(value, visitor)
            return
        if not _PLAIN.issuperset(map(type, parts)):
            for part in parts:
                util.visit_value_and_its_immediate_references(part, visitor)

    return visit_value_and_its_immediate_references


def _parted(value: HasProps) -> tuple[list[str], frozenset[str]]:
    """Properties of a class that could refer to models: those to be looked at, and those that have to be set first."""
    first = {name: _may_be_left(value, name) for name in type(value).properties_with_refs()}
    return [name for name in first if not first[name]], frozenset(name for name in first if first[name])


def _may_be_left(value: HasProps, name: str) -> bool:
    """Whether a property that has no value of its own refers to nothing, for all models of a class."""
    descriptor = value.lookup(name)
    return not descriptor.has_unstable_default(value) and type(descriptor.class_default(type(value))) in _PLAIN


def remember() -> None:
    """Do so from now on, in this process."""
    settings.perform_error_diagnostics = False  # which looks up the parameters of each callback of each model
    for place, name, better in _BETTER:
        known = _at(place, name)
        if known is not None and not hasattr(known, "worked_out"):
            made = better(known)
            made.worked_out = known
            _put(place, name, made)


def forget() -> None:
    """Undo it, but for what a server has set in Bokeh's settings."""
    for place, name, _ in _BETTER:
        known = getattr(_at(place, name), "worked_out", None)
        if known is not None:
            _put(place, name, known)


def _at(place: Any, name: Any) -> Any:
    """What a class, a module or a dictionary has under a name; None: nothing of its own."""
    return (place if isinstance(place, dict) else vars(place)).get(name)


def _put(place: Any, name: Any, value: Any) -> None:
    if isinstance(place, dict):
        place[name] = value
    else:
        setattr(place, name, value)


def _unstable(work_out: Callable[..., bool]) -> Any:
    """Whether the default of a property is made anew for each model."""
    known: dict[tuple[type, PropertyDescriptor[Any]], bool] = {}

    def has_unstable_default(self: PropertyDescriptor[Any], obj: HasProps) -> bool:
        key = (obj.__class__, self)
        found = known.get(key)
        if found is None:
            found = known[key] = work_out(self, obj)
        return found

    return has_unstable_default


def _defaults(work_out: Callable[..., Any]) -> Any:
    """The defaults that are the same for all models of a class, unless a theme says otherwise."""
    known: dict[tuple[type, PropertyDescriptor[Any]], Any] = {}

    def instance_default(self: PropertyDescriptor[Any], obj: HasProps) -> Any:
        themed = obj.themed_values()
        if themed is not None and self.name in themed:
            return work_out(self, obj)
        key = (obj.__class__, self)
        found = known.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            found = work_out(self, obj)
            if type(found) in PLAIN and not self.has_unstable_default(obj):
                known[key] = found
        return found

    return instance_default


def _themed(_: Callable[..., Any]) -> Any:
    """What a theme says of a model, without an error that is raised and caught where it says nothing."""
    return lambda self: self.__dict__.get("__themed_values__")


def _overridden(work_out: classmethod[Any, Any, dict[str, Any]]) -> Any:
    """The defaults that classes have set for properties of their bases."""
    by_class: Any = cache(work_out.__func__)
    return classmethod(by_class)


def _first_values(_: Callable[..., dict[str, Any]]) -> Any:
    """The parameters of a new component that its model has, too."""

    def _init_params(self: Any) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self._synced_params}
        return {name: value for name, value in values.items() if value is not None}

    return _init_params


def _values(work_out: Callable[..., dict[str, Any]]) -> Any:
    """The values that are not defaults, without making all defaults only to leave them out."""

    def properties_with_values(
        self: HasProps, *, include_defaults: bool = True, include_undefined: bool = False
    ) -> dict[str, Any]:
        if include_defaults or include_undefined:
            return work_out(self, include_defaults=include_defaults, include_undefined=include_undefined)
        themed = self.themed_values() or {}
        own, made = self._property_values, self._unstable_default_values
        found = {}
        for name in self.properties(_with_props=True):
            if name in own or name in made or name in themed:
                descriptor = self.lookup(name)
                if descriptor.serialized:
                    value = descriptor.get_value(self)
                    if name in themed or name not in made or not isinstance(value, PropertyValueContainer):
                        found[name] = value
        return found

    return properties_with_values


def _definitions(work_out: Callable[..., Any]) -> Any:
    """What each document says of the classes of components, of which most are in no page."""
    known: dict[type, Any] = {}

    def definition(cls: Any, serializer: Any) -> Any:
        found = known.get(cls)
        if found is not None:
            serializer.add_ref(cls, {"id": ID(cls.__qualified_model__)})
            return found
        found = work_out(cls, serializer)
        if found.get("type") == "model" and "extends" not in found and _is_text(found):
            known[cls] = found
        return found

    return definition


def _is_text(definition: Any) -> bool:
    """Whether it holds no models, which each document has its own of, and no bytes, which are sent apart."""
    try:
        return '"type": "object"' not in json.dumps(definition)
    except TypeError:
        return False


def _resources(work_out: Callable[..., Any]) -> Any:
    """The scripts and styles that a page asks for: of all classes that there are, whatever the page shows."""
    known: dict[tuple[Any, ...], Any] = {}

    def bundle_resources(roots: Any, resources: Any, *arguments: Any, **named: Any) -> Any:
        if arguments or named:
            return work_out(roots, resources, *arguments, **named)
        place = (resources.mode, resources.root_url, resources.absolute, state.rel_path, state.base_url)
        key = (*place, len(Model.model_class_reverse_map), *map(type, roots))
        if key not in known:
            known.clear()
            known[key] = work_out(roots, resources)
        return known[key]

    return bundle_resources


class _Whole:
    """All models of a document, to be searched through at once."""

    def __init__(self, document: Any) -> None:
        self.document = document

    def select(self, selector: dict[str, Any]) -> list[Model]:
        """Those of a type."""
        return [each for each in self.document.models if isinstance(each, selector["type"])]


def _stylesheets(work_out: Callable[..., None]) -> Any:
    """The addresses of styles are set for all roots of a page at once, from what the document knows of its models."""

    def patch_model_css(root: Any, dist_url: str) -> None:
        document = root.document
        if document is None:
            work_out(root, dist_url)
        elif root is document.roots[0]:
            work_out(_Whole(document), dist_url)

    return patch_model_css


def _resolved(work_out: Callable[..., Any]) -> Any:
    """The places of Panel's own styles, which each component of a page asks the disk for."""
    own = str(Path(panel_server.__file__).parents[1])
    known: dict[Any, Any] = {}

    def _resolve(self: Any, path: Any) -> Any:
        found = known.get(path)
        if found is None:
            found = work_out(self, path)
            if str(path).startswith(own):
                known[path] = found
        return found

    return _resolve


def _nothing(_: Callable[[], None]) -> Any:
    """No collection of garbage in the loop, once more after each page that was closed: see `Opening`."""
    return lambda: None


_BETTER: tuple[tuple[Any, Any, Callable[[Any], Any]], ...] = (
    (PropertyDescriptor, "has_unstable_default", _unstable),
    (PropertyDescriptor, "instance_default", _defaults),
    (HasProps, "themed_values", _themed),
    (HasProps, "_overridden_defaults", _overridden),
    (HasProps, "properties_with_values", _values),
    (Serializer._encoders, MetaHasProps, _definitions),
    (Syncable, "_init_params", _first_values),
    (panel_server, "bundle_resources", _resources),
    (panel_server, "patch_model_css", _stylesheets),
    (Filename, "_resolve", _resolved),
    (panel_document, "_garbage_collect", _nothing),
    (bokeh_references, "visit_immediate_value_references", of_models),
    (bokeh_references, "visit_value_and_its_immediate_references", of_values),
)
