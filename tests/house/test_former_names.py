"""Names that third parties imported before the redesign still work for one version, and say what to write instead."""

import importlib

import pytest

import pitwarden.client
import pitwarden_client
import pitwarden_drivers.api
import pitwarden_drivers.errors
import pitwarden_drivers.faults


@pytest.mark.parametrize(("former", "present"), sorted(pitwarden.client.FORMER_NAMES.items()))
def test_a_former_name_of_the_client_is_the_present_object(former: str, present: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"pitwarden_client.{present}$"):
        assert getattr(pitwarden.client, former) is getattr(pitwarden_client, present)


def test_each_former_name_leads_to_a_public_name_of_the_client() -> None:
    assert set(pitwarden.client.FORMER_NAMES.values()) <= set(pitwarden_client.__all__)


@pytest.mark.parametrize(("former", "present"), sorted(pitwarden_drivers.faults.FORMER_NAMES.items()))
def test_a_former_error_of_the_drivers_is_the_present_one(former: str, present: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"errors.{present}$"):
        assert getattr(pitwarden_drivers.faults, former) is getattr(pitwarden_drivers.errors, present)


@pytest.mark.parametrize("former", ["Report", "Turn", "Lit", "Expected"])
def test_a_former_class_of_the_driver_interface_is_the_present_one(former: str) -> None:
    present = pitwarden_drivers.api.FORMER_NAMES[former]
    with pytest.warns(DeprecationWarning, match=f"{present.__name__}$"):
        assert getattr(pitwarden_drivers.api, former) is present


@pytest.mark.parametrize("module", ["pitwarden.client", "pitwarden_drivers.faults", "pitwarden_drivers.api"])
def test_a_name_that_never_was_is_an_attribute_error(module: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute Nothing"):
        importlib.import_module(module).Nothing  # noqa: B018  the access is what raises
