import pytest


@pytest.fixture
def closed():
    raise RuntimeError("closed")


@pytest.fixture
def leaking():
    yield
    raise RuntimeError("left open")


class TestCart:
    @pytest.mark.parametrize("card", ["visa", "ünïcödé 🦦"])
    def test_pays(self, card):
        assert card

    def test_fails(self):
        assert {"total": 1} == {"total": 2}, "\x1b[31mred\x1b[0m \x00"


def test_set_up(closed):
    pass


def test_tear_down(leaking):
    pass


@pytest.mark.skip(reason="no printer")
def test_skipped():
    pass


@pytest.mark.xfail(reason="known")
def test_expected():
    raise AssertionError


@pytest.mark.xfail(reason="mended")
def test_mended():
    pass


def test_shop_opens():
    pass
