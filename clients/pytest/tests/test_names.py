"""Names agree with those that the JUnit importer makes of pytest's own report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from conftest import Ledger
from pytest_testledger.names import name_of


def imported(report: ET.Element) -> list[str]:
    """The rule of the importer: suite, class and name, where the class is not in the name already."""
    names = []
    for suite in report.iter("testsuite"):
        for case in suite.iter("testcase"):
            parts = [suite.attrib["name"], case.attrib["classname"], case.attrib["name"]]
            suite_name, class_name, name = (" ".join(part.split()) for part in parts)
            in_name = re.search(rf"(?<!\w){re.escape(class_name)}(?!\w)", name) is not None
            kept = [] if class_name == "" or in_name or class_name == suite_name else [class_name]
            names.append(" › ".join([*([suite_name] if suite_name else []), *kept, name]))
    return names


@pytest.mark.parametrize(
    "args",
    [[], ["-ojunit_suite_name=shop"], ["--junit-prefix=py39"], ["-ojunit_suite_name="], ["-n1"]],
    ids=["plain", "suite", "prefix", "no suite", "xdist"],
)
def test_agrees_with_the_report_of_pytest(pytester: pytest.Pytester, ledger: Ledger, args: list[str]) -> None:
    pytester.mkpydir("deep")
    (pytester.path / "deep" / "test_inner.py").write_text(
        "class TestOuter:\n    class TestInner:\n        def test_it(self): pass\n", "utf-8"
    )
    pytester.makefile(".txt", test_text=">>> 1 + 1\n2\n")
    pytester.makepyfile(
        pytest_like="def test_not_collected(): pass",
        test_names=r'''
        import pytest
        def test_plain(): pass
        @pytest.mark.parametrize("x", ["a b", "  ", "é", "a::b", "[x]", "\x1b[31m", "a/b.py", "\\", "", "\ud800"])
        def test_params(x): pass
        def test_test_names(): pass
        def test_names_of_all(): pass
        @pytest.mark.parametrize("x", ["test_names", "test_names.py"])
        def test_of(x): pass
        def documented():
            """
            >>> 1 + 1
            2
            """
        ''',
        test_broken="import nothing_of_this_name",
    )
    pytester.runpytest_subprocess(
        "--doctest-modules", "--continue-on-collection-errors", "--junit-xml=report.xml", *args
    )
    report = ET.parse(pytester.path / "report.xml").getroot()
    assert len(ledger.results) >= 16
    assert sorted(result["name"] for result in ledger.results) == sorted(imported(report))


def test_shortens_long_names_without_making_two_the_same() -> None:
    first, second = (name_of(f"test_a.py::test_it[{'x' * 300}{n}]", "pytest", "") for n in (1, 2))
    assert len(first.name) == len(second.name) == 253
    assert first.name[:240] == second.name[:240] == first.full[:240]
    assert first.name != second.name


def test_does_not_take_brackets_in_a_path_for_parameters() -> None:
    assert (
        name_of("a[1]/test_a.py::TestB::test_c[d::e]", "pytest", "").name == "pytest › a[1].test_a.TestB › test_c[d::e]"
    )
