"""The website: it builds strictly, its links are right, and it asks nothing of others."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main
import yaml

import ibc_report
from ibc_report.cli.app import app, main
from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.data.task import Task
from ibc_report.website import build as website
from ibc_report.website.pages import NO_ADDRESS
from tests.support.once import Once
from tests.support.site_building import CHECKOUT, broken_links, example, lay_out, pages_of

FEW = ("iris", "cartpole-1-published")


@pytest.fixture(scope="module")
def site(once: Once) -> Path:
    """The built example."""
    return example(once)


@pytest.fixture(scope="module")
def few(once: Once) -> Path:
    """The mkdocs.yml of the example with two tasks."""
    return once.made("few", lambda folder: lay_out(folder, FEW)) / "mkdocs.yml"


def reconfigured(few: Path, folder: Path, **changes: Any) -> Path:
    """Copy a laid-out site into another folder with other keys of its mkdocs.yml."""
    shutil.copytree(few.parent / "site", folder / "site")
    config = yaml.safe_load(few.read_text(encoding="utf-8")) | changes
    path = folder / "mkdocs.yml"
    path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    return path


def build(config: Path, output: Path, **settings: Any) -> website.Built:
    """Build strictly."""
    return website.build(config, **{"reports": None, "output": output, "strict": True} | settings)


def test_both_folders_are_written_out() -> None:
    """The default output folder of mkdocs is where the sources lie, so both keys are set."""
    config = yaml.safe_load((CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8"))

    assert config["docs_dir"] == "site/docs"
    assert config["site_dir"] == "build/site"


def test_every_validation_warns() -> None:
    """All four validations are warnings, which a strict build fails on."""
    config = yaml.safe_load((CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8"))

    assert config["validation"] == {
        "omitted_files": "warn",
        "absolute_links": "warn",
        "unrecognized_links": "warn",
        "anchors": "warn",
    }


def test_every_task_has_a_page(site: Path) -> None:
    """The strict build of the example has a page, a report and a row of the catalog for each task."""
    catalog = ibc_report.load_catalog(CHECKOUT / "site" / "catalog.yml")
    names = [*(task.name for task in catalog.tasks), *(Path(saved).stem for saved in catalog.saved)]
    table = pages_of(site)[site / "catalog" / "index.html"]
    links = [link["href"] for link in table.all("a")]

    assert sorted(path.name for path in (site / "tasks").iterdir() if path.is_dir()) == sorted(names)
    assert all((site / "tasks" / f"{name}.json").is_file() for name in names)
    assert set(links) >= {f"../tasks/{name}/" for name in names}
    assert (site / "report-2.schema.json").is_file()


def test_every_link_of_the_example_leads_somewhere(site: Path) -> None:
    """Each href and src of the built pages meets a built file, and each fragment an id."""
    assert broken_links(site) == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No page of the example and none of its style sheets loads anything from another host."""
    loaded = [
        (path.name, tag, address)
        for path, page in pages_of(site).items()
        for tag, address in page.addresses()
        if tag != "a" and re.match(r"(https?:)?//", address)
    ]
    styles = {path.name: path.read_text(encoding="utf-8") for path in site.rglob("*.css")}

    assert loaded == []
    assert len(styles) > 1
    assert not [name for name, text in styles.items() if re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", text)]


def test_ids_of_each_page_are_unique(site: Path) -> None:
    """No page has an id twice, though each holds several figures."""
    for path, page in pages_of(site).items():
        assert len(page.ids) == len(set(page.ids)), path


def test_formulas_are_mathml(site: Path) -> None:
    """The method page has its formulas as MathML, and no LaTeX is left in the text of any page."""
    pages = pages_of(site)

    assert len(pages[site / "method" / "index.html"].all("math")) > 30
    for path, page in pages.items():
        text = " ".join(element.text for element in page.all("p") + page.all("td") + page.all("li"))
        assert "\\(" not in text, path
        assert "{{" not in re.sub(r"\{\{.*?\}\}", "", text), path


def test_the_catalog_reads_without_script(site: Path) -> None:
    """The table is in the page itself: a row for each task, the hardest first, with interval and numbers."""
    page = pages_of(site)[site / "catalog" / "index.html"]
    cells = [cell for cell in page.all("td", "ibc-number") if "data-value" in cell.attributes]
    bits = [float(cell["data-value"]) for cell in cells][::6]

    assert len(bits) == 20
    assert bits == sorted(bits, reverse=True)
    assert "1010.6" in [cell.text for cell in cells]
    assert any(re.fullmatch(r"109\.\d – 1011\.\d", cell.text) for cell in page.all("td"))


@pytest.mark.long
def test_two_builds_are_the_same_bytes(few: Path, tmp_path: Path) -> None:
    """With SOURCE_DATE_EPOCH, two processes build the same files."""
    program = "from ibc_report.cli.app import main; main()"
    running = {
        seed: subprocess.Popen(
            [sys.executable, "-c", program, "site", "--config", str(few), "--output", str(tmp_path / seed)],
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "PYTHONHASHSEED": seed},
            stdout=subprocess.DEVNULL,
        )
        for seed in ("1", "2")
    }
    built = []
    for seed, process in running.items():
        assert process.wait() == 0
        output = tmp_path / seed
        built.append({path.relative_to(output): path.read_bytes() for path in output.rglob("*") if path.is_file()})

    assert len(built[0]) > 30
    assert built[0].keys() == built[1].keys()
    assert [str(path) for path in built[0] if built[0][path] != built[1][path]] == []


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"theme": {"name": "material", "font": False}}, id="material", marks=pytest.mark.long),
        pytest.param({"use_directory_urls": False}, id="plain addresses", marks=pytest.mark.long),
        pytest.param(
            {"theme": {"name": "material", "font": False}, "use_directory_urls": False}, id="material, plain addresses"
        ),
    ],
)
@pytest.mark.long
def test_other_themes_and_addresses(few: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    """Under mkdocs-material, and with file names as addresses, the site builds strictly and its links are right."""
    built = build(reconfigured(few, tmp_path, **changes), tmp_path / "public")

    assert built.tasks == len(FEW)
    assert broken_links(built.folder) == []
    tables = [page for page in pages_of(built.folder).values() if page.all("table", "ibc-catalog")]
    assert len(tables) == 1
    assert len([link for link in tables[0].all("a") if "iris" in link["href"] and link.text == "Iris"]) == 1


def test_other_paths_of_the_plugin(few: Path, tmp_path: Path) -> None:
    """The catalog page and the folder of tasks go where the plugin's options say."""
    config = reconfigured(
        few,
        tmp_path,
        plugins=[{"ibc-report": {"catalog": "site/catalog.yml", "page": "all/table.md", "folder": "all/of"}}],
        nav=[{"Home": "index.md"}],
        not_in_nav="*",
    )
    for page in (tmp_path / "site" / "docs").glob("*.md"):
        page.write_text(page.read_text(encoding="utf-8").replace("(catalog.md)", "(all/table.md)"), encoding="utf-8")
    built = build(config, tmp_path / "public")

    assert built.tasks == len(FEW)
    assert (built.folder / "all" / "table" / "index.html").is_file()
    assert (built.folder / "all" / "of" / "iris" / "index.html").is_file()
    assert broken_links(built.folder) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"catalog": "site/catalog.yml", "catalogue": "x"}, "(?i)unrecognised configuration name: catalogue"),
        ({"catalog": 3}, "catalog"),
        ({}, r"set 'catalog' \(a catalog.yml\) or 'reports'"),
        ({"catalog": "nowhere.yml"}, r"nowhere\.yml does not exist; give the path of a catalog\.yml"),
        ({"reports": "nothing"}, r"nothing has no reports; run 'ibc-report card' first"),
        ({"catalog": "site/catalog.yml", "reports": "none"}, "none has no reports; run 'ibc-report build site/catalog"),
        ({"catalog": "site/catalog.yml", "templates": "none"}, "none is not a folder"),
    ],
    ids=["unknown option", "type", "neither", "no catalog", "no reports", "no reports of a catalog", "no templates"],
)
def test_wrong_options_say_what_to_do(few: Path, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    """A plugin that is set up wrongly fails with one clear line."""
    config = reconfigured(few, tmp_path, plugins=[{"ibc-report": options}])

    with pytest.raises(DataError, match=message) as caught:
        build(config, tmp_path / "public")

    assert "\n" not in str(caught.value)


def test_a_fault_of_a_page_names_the_page(few: Path, tmp_path: Path) -> None:
    """A formula that cannot be converted names the page that it is on."""
    config = reconfigured(few, tmp_path)
    (tmp_path / "site" / "docs" / "schema.md").write_text("# Schema\n\n\\({x\\)\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"schema\.md: formula '\{x' cannot be converted"):
        build(config, tmp_path / "public")


def test_a_warning_fails_a_strict_build_only(few: Path, tmp_path: Path) -> None:
    """A link to no page fails a strict build, which says which, and lets another one pass."""
    config = reconfigured(few, tmp_path)
    page = tmp_path / "site" / "docs" / "schema.md"
    page.write_text("# Schema\n\n[lost](lost.md)\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"lost\.md"):
        build(config, tmp_path / "strict")

    assert build(config, tmp_path / "lenient", strict=False).tasks == len(FEW)


def test_a_task_without_a_report_is_owned_up_to(few: Path, tmp_path: Path) -> None:
    """A task of the catalog that has no report is named on the page, and a report of no task is left out."""
    config = reconfigured(few, tmp_path)
    reports = tmp_path / "site" / "reports"
    (reports / "cartpole-1-published.json").unlink()
    (reports / "stray.json").write_text(
        (reports / "iris.json").read_text(encoding="utf-8").replace('"name": "iris"', '"name": "stray"'),
        encoding="utf-8",
    )
    built = build(config, tmp_path / "public")
    page = pages_of(built.folder)[built.folder / "catalog" / "index.html"]

    assert built.tasks == len(FEW) - 1
    assert "Without a report: cartpole-1-published." in page.text
    assert "stray" not in page.text


@pytest.mark.parametrize(
    "theme",
    [
        pytest.param({"name": "mkdocs", "highlightjs": False}, id="mkdocs"),
        pytest.param({"name": "material", "font": False}, id="material", marks=pytest.mark.long),
    ],
)
def test_hostile_titles_are_text(tmp_path: Path, theme: dict[str, Any]) -> None:
    """A title and a description of markup, quotes, Markdown, emoji and braces are text on every page of the site."""
    title = '</title><script>alert(1)</script> "q" *b* [a](b) {: #x } $y$ 👩‍🔬 \x07 {{ 1 }} &amp;'
    shown = title.replace("\x07", "\ufffd")
    (tmp_path / "docs").mkdir()
    (tmp_path / "reports").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n[all](catalog.md)\n", encoding="utf-8")
    numbers = {"family": "control", "n": 1e6, "dimension": 6, "actions": 2, "resolution": 0.001, "target_error": 0.001}
    task = Task.model_validate({"name": "a", "title": title, "description": f"{title}\n\n{title}", "declared": numbers})
    (tmp_path / "reports" / "a.json").write_text(ibc_report.measure(task).to_json(), encoding="utf-8")
    config = {"site_name": "Test", "theme": theme, "plugins": ["search", {"ibc-report": {"reports": "reports"}}]}
    (tmp_path / "mkdocs.yml").write_text(
        yaml.safe_dump(config | {"markdown_extensions": ["attr_list", "tables"]}), encoding="utf-8"
    )
    built = build(tmp_path / "mkdocs.yml", tmp_path / "public")

    pages = pages_of(built.folder)
    page = pages[built.folder / "tasks" / "a" / "index.html"]
    assert page.all("h1")[0].text.rstrip("¶ ") == shown
    assert shown in page.all("title")[0].text
    assert f"{shown} {shown}" in page.text
    assert shown in [link.text for link in pages[built.folder / "catalog" / "index.html"].all("a")]
    for found in pages.values():
        assert not [script for script in found.all("script") if script.text == "alert(1)"]
    assert broken_links(built.folder) == []


class TestPlainSite:
    """Without an mkdocs.yml, the reports alone become a site."""

    def test_of_reports(self, few: Path, workspace: Path) -> None:
        """A plain site has the catalog as its first page, a page for each report, and right links."""
        shutil.copytree(few.parent / "site" / "reports", workspace / "reports")
        built = website.build(Path("mkdocs.yml"), reports=None, output=None, strict=True)
        page = pages_of(built.folder)[built.folder / "index.html"]

        assert built.folder == workspace / "build" / "site"
        assert built.tasks == len(FEW)
        assert len(page.all("table", "ibc-catalog")) == 1
        assert broken_links(built.folder) == []

    def test_of_a_catalog(self, few: Path, workspace: Path) -> None:
        """Where a catalog lies here, the plain site is of it: a report of no task has no page."""
        shutil.copytree(few.parent / "site" / "reports", workspace / "reports")
        shutil.copy(few.parent / "site" / "catalog.yml", workspace / "catalog.yml")
        stray = (workspace / "reports" / "iris.json").read_text(encoding="utf-8")
        (workspace / "reports" / "stray.json").write_text(
            stray.replace('"name": "iris"', '"name": "stray"'), encoding="utf-8"
        )
        (workspace / "reports" / "iris.json").unlink()
        built = website.build(Path("mkdocs.yml"), reports=None, output=None, strict=True)

        assert (built.tasks, built.missing) == (len(FEW) - 1, ("iris",))
        assert not (built.folder / "tasks" / "stray").exists()
        assert broken_links(built.folder) == []
        of_reports = website.build(Path("mkdocs.yml"), reports=Path("reports"), output=None, strict=True)
        assert (of_reports.folder / "tasks" / "stray").exists()

    def test_without_reports(self, workspace: Path) -> None:
        """Where there is no report either, the message says how to make one."""
        with pytest.raises(
            UsageError, match=r"no mkdocs.yml here and no report in reports; run 'ibc-report card SOURCE'"
        ):
            build(Path("mkdocs.yml"), workspace / "public")

    def test_a_configuration_that_is_not_there(self, workspace: Path) -> None:
        """A configuration that was named and does not exist is an error, not a plain site."""
        with pytest.raises(UsageError, match=r"other.yml does not exist"):
            build(Path("other.yml"), workspace / "public")

    def test_reports_beside_a_configuration(self, few: Path, tmp_path: Path) -> None:
        """With a configuration, the folder of reports is said there and not on the command line."""
        with pytest.raises(UsageError, match="says where its reports are"):
            build(few, tmp_path / "public", reports=tmp_path)


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestOutput:
    """A site is built beside the former one; only a former build is replaced."""

    @pytest.mark.parametrize("fault", ["formula", "report", "catalog"])
    def test_a_fault_leaves_the_former_site(self, fault: str, few: Path, tmp_path: Path) -> None:
        """A formula, a report or a catalog that is broken costs nothing of the site that is there."""
        config = reconfigured(few, tmp_path)
        build(config, tmp_path / "public")
        before = files_of(tmp_path / "public")
        broken = {
            "formula": ("docs/schema.md", "# Schema\n\n\\({x\\)\n"),
            "report": ("reports/iris.json", '{"schema_version": 2}'),
            "catalog": ("catalog.yml", "tasks: 3"),
        }
        name, content = broken[fault]
        (tmp_path / "site" / name).write_text(content, encoding="utf-8")
        with pytest.raises(IbcReportError):
            build(config, tmp_path / "public")
        assert files_of(tmp_path / "public") == before
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]

    def test_hidden_files_stay(self, few: Path, tmp_path: Path) -> None:
        """The work tree of a branch that pages are served from stays one, from the first build on."""
        hidden = {".git": b"gitdir: ../.git/worktrees/public\n", ".nojekyll": b"", ".well-known/x": b"mine"}
        for name, content in hidden.items():
            (tmp_path / "public" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "public" / name).write_bytes(content)
        for _ in range(2):
            build(few, tmp_path / "public")
            found = files_of(tmp_path / "public")
            assert found.items() >= hidden.items()
            assert "index.html" in found

    @pytest.mark.long
    def test_a_kill_leaves_a_whole_site(self, few: Path, tmp_path: Path) -> None:
        """Wherever in its time the command is killed, the former site or the new one is there; the next run works."""
        command = [sys.executable, "-m", "ibc_report", "site", "--config", str(few), "-o", str(tmp_path / "public")]
        began = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        lasts = time.monotonic() - began
        whole = files_of(tmp_path / "public")
        for part in range(1, 8):
            (tmp_path / "public" / "stale.html").write_bytes(b"old")
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with suppress(subprocess.TimeoutExpired):
                process.wait(lasts * part / 8)
            process.kill()
            process.wait()
            found = files_of(tmp_path / "public")
            assert found.keys() - {"stale.html"} == whole.keys()
        subprocess.run(command, check=True, capture_output=True)
        assert [path.name for path in tmp_path.iterdir()] == ["public"]
        assert files_of(tmp_path / "public").keys() == whole.keys()

    def test_a_foreign_folder_is_refused(self, few: Path, tmp_path: Path) -> None:
        """A folder with other files is refused and left as it is."""
        (tmp_path / "thesis.tex").write_text("years of work")

        with pytest.raises(UsageError, match="holds files that are no built website"):
            build(few, tmp_path)

        assert (tmp_path / "thesis.tex").read_text() == "years of work"

    def test_a_file_is_refused(self, few: Path, tmp_path: Path) -> None:
        """A file as the output is refused and left as it is."""
        (tmp_path / "public").write_text("mine")

        with pytest.raises(UsageError, match="is a file"):
            build(few, tmp_path / "public")

        assert (tmp_path / "public").read_text() == "mine"

    def test_a_former_build_is_replaced(self, few: Path, tmp_path: Path) -> None:
        """A page that is no longer made is gone after the next build; an empty folder will do for the first."""
        (tmp_path / "public").mkdir()
        build(few, tmp_path / "public")
        (tmp_path / "public" / "stale.html").write_text("old")
        build(few, tmp_path / "public")

        assert not (tmp_path / "public" / "stale.html").exists()
        assert (tmp_path / "public" / "index.html").is_file()


def test_a_quiet_build_says_nothing(few: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A build prints nothing of its own and leaves mkdocs' logger as it was."""
    handlers = list(logging.getLogger("mkdocs").handlers)
    build(few, tmp_path / "public")

    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("mkdocs").handlers == handlers


def commands() -> dict[str, click.Command]:
    """The commands of the command line."""
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group) or hasattr(group, "commands")
    return dict(group.commands)


@pytest.mark.parametrize("name", commands())
def test_docs_tell_of_every_option(name: str) -> None:
    """The page of the command line, or that on submissions, has a section for each command that names its options."""
    docs = CHECKOUT / "site" / "docs"
    text = (docs / "command-line.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    if name in ("attach", "verify", "check", "badge"):
        sections[name] = (docs / "submissions.md").read_text(encoding="utf-8")
        assert f"ibc-report {name}" in sections[name]
    assert name in sections
    told = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", sections[name]))
    options = {
        option
        for parameter in commands()[name].params
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    }

    assert options - {"--help"} <= told
    # the page on submissions has four commands in one text
    if name not in ("attach", "verify", "check", "badge"):
        assert {option for option in told if option.startswith("--")} <= options | {"--debug"}


def test_errors_of_the_plugin_are_ours(few: Path, tmp_path: Path) -> None:
    """A report of a newer schema stops the build with what to do about it."""
    config = reconfigured(few, tmp_path)
    path = tmp_path / "site" / "reports" / "iris.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"schema_version": 2', '"schema_version": 99'), encoding="utf-8"
    )

    with pytest.raises(IbcReportError, match=r"iris\.json has schema version 99, .*upgrade ibc-report"):
        build(config, tmp_path / "public")


def test_the_command_names_tasks_without_a_report(few: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`site` says which tasks of the catalog have no page; --quiet says nothing."""
    config = reconfigured(few, tmp_path)
    (tmp_path / "site" / "reports" / "cartpole-1-published.json").unlink()
    command = ["site", "--config", str(config), "--output", str(tmp_path / "public")]
    for arguments, said in (
        (
            command,
            f"Without a report: cartpole-1-published\nWritten: {tmp_path}/public/index.html and 1 pages of tasks\n"
            f"{NO_ADDRESS}\n",
        ),
        ([*command, "--quiet"], ""),
    ):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code in (0, None)
        assert capfd.readouterr() == (said, "")


def test_a_warning_is_one_line_of_our_own(few: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What mkdocs warns of in a build that is not strict is on standard error once, and in what was built."""
    config = reconfigured(few, tmp_path)
    (tmp_path / "site" / "docs" / "schema.md").write_text("# Schema\n\n[lost](lost.md)\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["site", "--config", str(config), "--output", str(tmp_path / "public"), "--no-strict", "-q"])
    out, err = capfd.readouterr()
    assert out == ""
    assert [line.split(":")[0] for line in err.splitlines()] == ["Warning"]
    assert "lost.md" in err
