// What the page shows, as a person would tell it, and what a person does with it: text, buttons, keys.

const ACTIVE = ".editor-group-container.active";
const TITLES = { Reject: "Reject…", "Next Proposal": "Next" };
const WAIT_MS = 40_000; // nothing takes so long, but on a machine that is busy with something else

/** What fast hands need for a key. A page that is sent keys without a pause has no moment in which to close a tab. */
export const KEY_MS = 100;

/**
 * Waits until `probe` gives something true, for what can only be looked at.
 * @template T
 * @param {string} what for the message when it never does
 * @param {() => T | Promise<T>} probe
 * @returns {Promise<T>}
 */
export async function until(what, probe, { timeoutMs = WAIT_MS, everyMs = 50 } = {}) {
  let seen, failed;
  for (const end = Date.now() + timeoutMs; Date.now() < end;) {
    try {
      seen = await probe();
      failed = undefined;
      if (seen) return seen;
    } catch (error) {
      failed = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`never came: ${what}${failed ? `: ${failed.message}` : ""}`);
}

export class WorkbenchPage {
  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(WAIT_MS);
  }

  // --- editors ----------------------------------------------------------------------------------------------

  /** What stands on the tabs, from left to right. */
  tabNames() {
    return this.page
      .locator(".tabs-container .tab")
      .evaluateAll((tabs) =>
        tabs.map((tab) =>
          [...tab.querySelectorAll(".label-name, .label-suffix")].map((part) => part.textContent).join(""),
        ),
      );
  }

  /** Waits until exactly these tabs are there. */
  async tabsAre(...names) {
    let seen;
    await until(`the tabs ${names.join(", ") || "to be gone"}`, async () => {
      seen = await this.tabNames();
      return seen.length === names.length && names.every((name, index) => name === seen[index]);
    }).catch((error) => {
      throw new Error(`${error.message}; there were ${seen}`);
    });
  }

  tab(name) {
    return this.page.locator(".tabs-container .tab", { hasText: name });
  }

  /** Waits until no tab has `name` on it. */
  async noTab(name) {
    await until(`no tab ${name}`, async () => (await this.tab(name).count()) === 0);
  }

  /** Waits until what the editor in front says matches: its tab, its title, its lines and what stands behind them. */
  async sees(text) {
    const wanted = text instanceof RegExp ? text : new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    await until(`${wanted} on the page`, async () => wanted.test(await this.frontText()));
  }

  /** What the editor in front says. Notes behind a line are drawn by the style sheet, not by text. */
  frontText() {
    return this.page.locator(ACTIVE).evaluate((group) => {
      const notes = [...group.querySelectorAll('.view-line [class*="ced-"], .view-overlays [class*="ced-"]')]
        .map((part) => getComputedStyle(part, "::after").content)
        .filter((content) => content.startsWith('"'));
      return [/** @type {HTMLElement} */ (group).innerText, ...notes].join("\n").replaceAll("\u00a0", " ");
    });
  }

  /** Clicks into the text editor in front, and waits until it has the keys. */
  async focusEditor() {
    await this.page.locator(`${ACTIVE} .editor-instance .view-lines`).first().click();
    await this.page.locator(`${ACTIVE} .editor-instance .monaco-editor.focused`).first().waitFor();
  }

  /** Both sides of the diff editor in front: the lines that are in view. */
  async diff() {
    const [original, modified] = await Promise.all(
      ["original", "modified"].map((side) => this.#lines(`.editor.${side}`)),
    );
    return { original, modified };
  }

  /** Waits for a diff whose right side has `text`. */
  async diffWith(text) {
    return until(`a diff with ${JSON.stringify(text)}`, async () => {
      const diff = await this.diff();
      return diff.modified.includes(text) && diff;
    });
  }

  /** Waits for a tab that a button has just asked for. On a busy machine it comes too late to take the focus, and is offered. */
  async requestedTab(title) {
    const offer = this.#message("The diff of ").getByRole("button", { name: /^Show / });
    await until(`the tab ${title}`, async () => {
      if ((await this.tab(title).count()) > 0) return true;
      await offer.click({ timeout: 500 }); // it may have opened by itself
      return false;
    });
  }

  /** Waits for a diff in such a tab. */
  async requestedDiff(title, text) {
    await this.requestedTab(title);
    return this.diffWith(text);
  }

  /** The review that a button has just asked for; offered, as above, if it comes too late. */
  async requestedReview(text) {
    await until(`a review with ${JSON.stringify(text)}`, async () => {
      if ((await this.diff()).modified.includes(text)) return true;
      return this.takeLateReview();
    });
  }

  /** The same, of a review of several files. */
  async requestedSeveral(text) {
    const line = this.page.locator(`${ACTIVE} .multiDiffEntry .editor.modified .view-line`, { hasText: text });
    await until(`a review of several files with ${JSON.stringify(text)}`, async () => {
      if ((await line.count()) > 0) return true;
      return this.takeLateReview();
    });
  }

  /** Presses the button that offers a review which came too late to open by itself, if there is one. Never true. */
  async takeLateReview() {
    const offer = this.#message("The review of ").getByRole("button", { name: "Review", exact: true });
    if ((await offer.count()) > 0) await offer.click({ timeout: 500 }); // it may be gone by now
    return false;
  }

  #lines(side) {
    return this.page
      .locator(`${ACTIVE} .monaco-diff-editor ${side} .view-lines`)
      .first()
      .evaluate((lines) =>
        [...lines.querySelectorAll(".view-line")]
          .map((line) => ({
            top: Number.parseFloat(/** @type {HTMLElement} */ (line).style.top),
            text: line.textContent.replaceAll("\u00a0", " "),
          }))
          .sort((one, other) => one.top - other.top)
          .map(({ text }) => text)
          .join("\n"),
      );
  }

  /** Puts the cursor behind `text` on the proposal's side, as a click and the End key do. */
  async clickLine(text, side = "modified") {
    await this.page
      .locator(`${ACTIVE} .monaco-diff-editor .editor.${side} .view-line`, { hasText: text })
      .first()
      .click();
    await this.page.keyboard.press("End");
  }

  /** Waits for the editor of several diffs, with `text` in one of them. */
  async severalWith(text) {
    await this.page
      .locator(`${ACTIVE} .multiDiffEntry .editor.modified .view-line`, { hasText: text })
      .first()
      .waitFor();
  }

  /** Waits until the view of all changes, beside a review, shows `text`; all that it shows. */
  async plainWith(text) {
    const body = this.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame").locator("body");
    await body.filter({ hasText: text }).waitFor();
    return body.innerText();
  }

  /** The files in it, from top to bottom. */
  severalNames() {
    return this.page.locator(`${ACTIVE} .multiDiffEntry .title.modified .label-name`).evaluateAll((names) =>
      names
        .map((name) => ({ top: name.getBoundingClientRect().top, text: name.textContent }))
        .sort((one, other) => one.top - other.top)
        .map(({ text }) => text),
    );
  }

  #entry(name) {
    return this.page.locator(`${ACTIVE} .multiDiffEntry`, { has: this.page.locator(".title.modified", { hasText: name }) });
  }

  /** Opens one of its files alone, as the button beside its name does. */
  async openFile(name) {
    await this.#entry(name).locator(".header").first().hover();
    await this.#entry(name).getByRole("button", { name: /^(Open|Go to) File/ }).first().click();
  }

  /** Goes into one of its files. */
  async enterFile(name) {
    const entry = this.#entry(name);
    await entry.locator(".editor.modified .view-line").first().click();
    await entry.locator(".editor.modified .monaco-editor.focused").waitFor();
  }

  /** Goes into one of its files, and chooses what is done with that in the menu of the title. */
  async decideFile(name, choice) {
    await this.enterFile(name);
    await this.titleMenu(choice);
  }

  /** The choices in the menu of the editor's title that have `text`. */
  async titleMenuHas(text) {
    await this.page.locator(`${ACTIVE} .editor-actions`).getByRole("button", { name: "More Actions..." }).click();
    await this.page.locator(".monaco-menu .action-item").first().waitFor();
    const found = await this.page.getByRole("menuitem", { name: text }).count();
    await this.page.keyboard.press("Escape");
    await this.page.locator(".monaco-menu").waitFor({ state: "detached" });
    return found > 0;
  }

  /** How many commands of that name the Command Palette has. */
  async commandsNamed(title) {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input");
    await input.waitFor();
    await input.fill(`>${title}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row");
    await row.first().waitFor(); // without any match, one that says so
    const found = await row.filter({ hasText: title }).count();
    await this.escapeQuestion();
    return found;
  }

  /** Chooses from the menu in the head of that view, and says what else is in it. */
  async viewMenu(view, choice) {
    const header = this.page.locator(`.pane-header[aria-label^="${view}"]`);
    await header.hover();
    await header.getByRole("button", { name: "Views and More Actions..." }).or(header.getByRole("button", { name: "More Actions..." })).click();
    await this.page.locator(".monaco-menu .action-item").first().waitFor();
    await this.#choose(choice);
  }

  /** Chooses from the menu of the editor's title. */
  async titleMenu(choice) {
    await this.page.locator(`${ACTIVE} .editor-actions`).getByRole("button", { name: "More Actions..." }).click();
    await this.#choose(choice);
  }

  /** Chooses from the menu that is open. */
  async #choose(choice, timeout = WAIT_MS) {
    // A menu takes no click in its first moments, as that may be the one that opened it; keys it takes at once.
    await this.page.getByRole("menuitem", { name: choice }).hover({ timeout });
    await this.page.locator(".monaco-menu .action-item.focused", { hasText: choice }).waitFor({ timeout });
    await this.page.keyboard.press("Enter");
    await this.page.locator(".monaco-menu").waitFor({ state: "detached" });
  }

  /** Waits until a side of the diff in front has the keys. */
  async focused(side) {
    await this.page.locator(`${ACTIVE} .monaco-diff-editor .editor.${side} .monaco-editor.focused`).waitFor();
  }

  /** Whether the review in front is marked as one that has only just come. */
  async isGuarded() {
    return (await this.#guard().count()) > 0;
  }

  /** Waits until it is. Call it before it can be: the mark is there for a moment. */
  guarded() {
    return this.#guard().first().waitFor({ state: "attached" });
  }

  #guard() {
    return this.page.locator(`${ACTIVE} .monaco-diff-editor .editor.modified .view-overlays [class*="ced-"][class*="-0"]`);
  }

  /** Goes from change to change, as the arrow in the title does, until `text` is in view. */
  async goToChange(text) {
    const line = this.page.locator(`${ACTIVE} .monaco-diff-editor .editor.modified .view-line`, { hasText: text });
    await until(`a change with ${text}`, async () => {
      if (await line.first().isVisible()) return true;
      await this.titleButton("Next Change").click();
      return false;
    });
  }

  async closeActiveTab() {
    await this.page.locator(`${ACTIVE} .tab.active .tab-actions a.action-label`).click();
  }

  /** Presses the arrow between the sides that stands beside `text`: the old text comes back. */
  async revertHunkAt(text) {
    const line = this.page
      .locator(`${ACTIVE} .monaco-diff-editor .editor.modified .view-line`, { hasText: text })
      .first();
    const { y, height } = await line.boundingBox();
    for (const arrow of await this.page.locator(`${ACTIVE} .gutter .gutterItem a.codicon-arrow-right`).all()) {
      const box = await arrow.boundingBox();
      if (box && box.y < y + height && y < box.y + box.height) {
        await line.hover();
        return arrow.click();
      }
    }
    throw new Error(`no arrow beside ${text}`);
  }

  // --- reviews in the file itself ---------------------------------------------------------------------------

  /** The comments in view of the review in the file in front, from top to bottom: what heads them, and what they show. */
  inlineHunks() {
    return this.page.locator(`${ACTIVE} .review-widget:visible`).evaluateAll((widgets) =>
      widgets
        .map((widget) => ({
          top: widget.getBoundingClientRect().top,
          // Nothing is in it yet, or any more, while it comes and goes.
          head: widget.querySelector(".review-title")?.textContent ?? "",
          body: /** @type {HTMLElement | null} */ (widget.querySelector(".comment-body"))?.innerText.replaceAll("\u00a0", " ") ?? "",
        }))
        .filter(({ top }) => top > 0 && top < window.innerHeight)
        .sort((one, other) => one.top - other.top)
        .map(({ head, body }) => ({ head, body })),
    );
  }

  /** Waits until a comment in the file in front shows `text`; all comments. */
  inlineWith(text) {
    return until(`a comment with ${JSON.stringify(text)}`, async () => {
      const hunks = await this.inlineHunks();
      return hunks.some(({ body }) => body.includes(text)) && hunks;
    });
  }

  /** Waits until no comment is left in the file in front. */
  async noInline() {
    await until("no comments in the file", async () => (await this.page.locator(".review-widget").count()) === 0 && (await this.removedLines()) === 0);
  }

  /** How many lines of the file in front are marked as removed. */
  removedLines() {
    return this.page.locator(`${ACTIVE} .editor-instance .view-overlays [class*="ced-"]`).evaluateAll(
      (marks) => marks.filter((mark) => !["rgba(0, 0, 0, 0)", "transparent"].includes(getComputedStyle(mark).backgroundColor)).length,
    );
  }

  /** Presses a button in the head of the comment that shows `text`. */
  async pressInComment(text, button) {
    const widget = this.page.locator(`${ACTIVE} .review-widget:visible`, { hasText: text.replaceAll(" ", "\u00a0") });
    await this.#untilCounts(button, () => widget.locator(".review-actions").getByRole("button", { name: button }).click());
  }

  // --- buttons, keys, questions -----------------------------------------------------------------------------

  /** A button of the editor's title, by its short name or the whole of it (its key in brackets aside). */
  titleButton(name) {
    const whole = (TITLES[name] ?? name).replaceAll(".", "\\.");
    const button = { name: new RegExp(`^${whole}( \\(.*\\))?$`, "s") };
    return this.page.locator(`${ACTIVE} .editor-actions`).getByRole("button", button);
  }

  /** Presses a button of the editor's title. */
  async pressTitle(name) {
    await this.#untilCounts(name, () => this.titleButton(name).click());
  }

  /**
   * Presses, and again as long as the status bar says that it did not count, until a tab comes or goes, or nothing is said.
   * `press` returns false where it could not.
   */
  async #untilCounts(what, press) {
    await until(`${what} counts`, async () => {
      const seen = await this.page.evaluateHandle(() => {
        const tabs = () => [...document.querySelectorAll(".tabs-container .tab")].map(({ textContent }) => textContent).join();
        const said = [];
        const note = (changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(({ textContent }) => said.push(textContent)));
        new MutationObserver(note).observe(document.querySelector(".part.statusbar"), { childList: true, subtree: true });
        return { tabs, said, before: tabs() };
      });
      if ((await press()) === false) return false;
      const outcome = (/** @type {any} */ { tabs, said, before }) => (said.some((text) => /(Press|Try) again/.test(text)) ? "refused" : tabs() !== before);
      const found = await this.page.waitForFunction(outcome, seen, { timeout: 700 }).catch(() => undefined);
      return (await found?.jsonValue()) !== "refused";
    });
  }

  /** Has `press` press while the page is busy: the page handles all of that before anything else, its timers included. */
  async whileBusy(press) {
    const isBusy = this.page.waitForEvent("console", (message) => message.text() === "busy");
    const blocked = this.page.evaluate(() => {
      console.log("busy");
      for (const end = Date.now() + 1500; Date.now() < end;);
    });
    await isBusy;
    await Promise.all([blocked, ...press(this.page)]);
  }

  /** Presses the key that accepts, and others: the extension host is told of all of them at once. */
  async acceptAndType(text) {
    await this.page.keyboard.down("Control");
    await this.whileBusy(({ keyboard }) => [
      keyboard.press("Enter"),
      keyboard.up("Control"),
      ...[...text].map((key) => keyboard.press(key)),
    ]);
  }

  async runCommand(title) {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    await until(`the command ${title}`, async () => {
      await this.page.keyboard.press("F1"); // again if what opened meanwhile has closed the palette
      await this.page.locator(".quick-input-widget input").fill(`>${title}`, { timeout: 5000 });
      await row.waitFor({ timeout: 5000 });
      return true;
    });
    await this.page.keyboard.press("Enter");
  }

  /** Waits for the input box and answers it, until that was no part of the press that opened it; its prompt. */
  async answer(text) {
    const input = this.page.locator(".quick-input-widget:visible input");
    await input.waitFor();
    const prompt = await this.page.locator(".quick-input-widget").innerText();
    await input.fill(text);
    await until("the box takes Enter", async () => {
      if ((await input.count()) === 0) return true;
      await input.press("Enter", { timeout: 500 }); // it may be gone by now
      return false;
    }, { everyMs: 1500 });
    return prompt;
  }

  /** Whether an input box is open. */
  async isAsked() {
    return (await this.page.locator(".quick-input-widget:visible input").count()) > 0;
  }

  /** Leaves the input box without an answer. */
  async escapeQuestion() {
    await this.page.locator(".quick-input-widget:visible input").waitFor();
    await this.page.keyboard.press("Escape");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** A row of the list that is open for a choice. */
  listRow(text) {
    return this.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row", { hasText: text });
  }

  /** The same, of a list that a command has just asked for; offered if it comes too late. */
  async requestedRow(text) {
    const offer = this.#message("the question came too late").getByRole("button", { name: "Ask Again", exact: true });
    await until(`a list with ${text}`, async () => {
      if ((await this.listRow(text).count()) > 0) return true;
      if ((await offer.count()) > 0) await offer.click({ timeout: 500 }); // it may be gone by now
      return false;
    });
    return this.listRow(text);
  }

  /** Presses the button on a row of that list. */
  async pressInList(text, button) {
    const { x, y } = await this.buttonInList(text, button);
    await this.page.mouse.click(x, y);
  }

  /** Where that button is. */
  async buttonInList(text, button) {
    await this.listRow(text).hover();
    const { x, y, width, height } = await this.listRow(text).getByRole("button", { name: button }).boundingBox();
    return { x: x + width / 2, y: y + height / 2 };
  }

  /** What the dialog in the middle says. */
  dialogText() {
    return this.page.locator(".monaco-dialog-box").innerText();
  }

  /** The same, of a dialog that a button has just asked for; offered, as above, if it comes too late. */
  async requestedDialog() {
    const offer = this.#message("the question came too late").getByRole("button", { name: "Ask Again", exact: true });
    await until("the dialog", async () => {
      if ((await this.page.locator(".monaco-dialog-box").count()) > 0) return true;
      await offer.click({ timeout: 500 }); // it may have opened by itself
      return false;
    });
    return this.dialogText();
  }

  /** Presses a button of the dialog in the middle, until that was no part of the press that opened the dialog. */
  async answerDialog(button) {
    const dialog = this.page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    await until(`the dialog takes ${button}`, async () => {
      if ((await dialog.count()) === 0) return true;
      await dialog.getByRole("button", { name: button, exact: true }).click({ timeout: 500 }); // it may be gone by now
      return false;
    }, { everyMs: 1200 });
  }

  // --- round the editors ------------------------------------------------------------------------------------

  /** agentfs' item of the status bar, when it says `text`. */
  statusItem(text) {
    return this.page.locator(".statusbar-item", { hasText: "agentfs" }).filter({ hasText: text });
  }

  /** Whether agentfs' item of the status bar says `text` to those who point at it. */
  async statusSays(text) {
    return (await this.page.locator(`.statusbar-item:has-text("agentfs") [aria-label*="${text}"]`).count()) > 0;
  }

  /** The lines that VS Code shows to those who point at this item of the status bar. */
  async tooltipOf(item) {
    await item.hover();
    const hover = this.page.locator(".workbench-hover:visible");
    await hover.waitFor();
    const text = await hover.innerText();
    await this.page.mouse.move(200, 5);
    await hover.waitFor({ state: "detached" });
    return text.replaceAll("\u00a0", " ").trim().split("\n");
  }

  /** Whether the count of hunks in the status bar says `text` to those who point at it. */
  async statusCounts(text) {
    return (await this.page.locator(`.statusbar-item[id$="agentfs.hunks"] [aria-label*="${text}"]`).count()) > 0;
  }

  /** Waits until the status bar says nothing of hunks. */
  async noHunkCount() {
    await until("no count of hunks", async () => (await this.page.locator('.statusbar-item[id$="agentfs.hunks"]').count()) === 0);
  }

  /** Waits until an item of the status bar says `text` and nothing more, but for an offer to undo. */
  async statusBarSays(text) {
    const items = this.page.locator(".statusbar-item");
    let seen;
    await until(`${text} in the status bar`, async () => {
      seen = (await items.allInnerTexts()).map((each) => each.replaceAll("\u00a0", " ").trim());
      return seen.some((each) => each === text || each === `${text} · Undo`);
    }).catch((error) => {
      throw new Error(`${error.message}; there were ${seen.join(" | ")}`);
    });
  }

  /** Whether that item stands on the theme's color of warnings. */
  async statusWarns() {
    return this.statusItem("").evaluate((item) => item.classList.contains("warning-kind"));
  }

  #message(text) {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: text });
  }

  /** Whether a message in the corner says so now. */
  async isSaid(text) {
    return (await this.#message(text).count()) > 0;
  }

  /** Waits for a message in the corner that has that button. */
  async offers(text, button) {
    await this.#message(text).getByRole("button", { name: button }).waitFor();
  }

  /**
   * Waits for a message in the corner, and presses a button of it: again if the message comes again, as it does if
   * another one has only just gone.
   */
  async pressInMessage(text, button) {
    let absent = -Infinity;
    await until(`${button} counts`, async () => {
      const isThere = await this.isSaid(text);
      if (isThere) await this.#message(text).getByRole("button", { name: button, exact: true }).click();
      absent = isThere ? 0 : absent + 1;
      return absent > 10;
    });
  }

  /** Waits for a message in the corner, and takes it away. */
  async saysInPassing(text) {
    const message = this.#message(text);
    await message.hover();
    await until("it is gone", async () => {
      if ((await message.count()) === 0) return true; // or its time was over, as another one moved it from the mouse
      await message.getByRole("button", { name: /^Clear Notification/ }).click({ timeout: 1000 });
      return false;
    });
  }

  /** Waits until the sample's notification says so. */
  async coached(text) {
    await this.#message("Sample: ").filter({ hasText: text }).waitFor();
  }

  /** Stops the sample if it is under way: the list of messages is open. */
  async endCoach() {
    const stop = this.page.locator(".notification-list-item", { hasText: "Sample: " }).getByRole("button", { name: "Cancel", exact: true });
    if ((await stop.count()) > 0) {
      await stop.first().click();
      await until("it has ended", async () => (await stop.count()) === 0);
    }
  }

  /** Stops the sample, by the button of its notification. */
  async stopCoach() {
    await this.#message("Sample: ").getByRole("button", { name: "Cancel", exact: true }).click();
    await this.#message("Sample: ").waitFor({ state: "detached" });
  }

  /** Presses a key until it is answered by a message, which it takes away: in a review's first moments none counts. */
  async pressUntilSaid(key, text) {
    const message = this.#message(text);
    await until(`${key} is answered`, async () => {
      if (await message.count()) return true;
      await this.page.keyboard.press(key);
      return false;
    }, { everyMs: 450 });
    await this.saysInPassing(text);
  }

  /** A row with `text` in the view of the side bar whose name begins with `view`. */
  viewRow(view, text) {
    const header = this.page.locator(`.pane-header[aria-label^="${view}"]`);
    return this.page.locator(".part.sidebar .pane", { has: header }).locator(".monaco-list-row", { hasText: text });
  }

  /** Scrolls a view of the side bar to its top if it is there: only rows in sight are on the page. */
  async scrollToTop(view) {
    const header = this.page.locator(`.pane-header[aria-label^="${view}"]`);
    const list = this.page.locator(".part.sidebar .pane", { has: header }).locator(".monaco-list");
    const place = (await list.isVisible()) && (await list.boundingBox());
    if (!place) return;
    await this.page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    await this.page.mouse.wheel(0, -100_000);
  }

  /** Chooses from the context menu of what is at that place. */
  async contextMenu(place, choice) {
    await place.click({ button: "right" });
    await this.#choose(choice);
  }

  /** Chooses from the context menu of a row in that view; it closes if the rows are drawn anew. */
  async rowMenu(view, text, choice) {
    await until(`the menu with ${choice}`, async () => {
      const row = this.viewRow(view, text).first();
      await row.hover({ timeout: 2000 });
      if (!(await this.#pressWhileThere(row, { button: "right" }))) return false;
      await this.#choose(choice, 2000);
      return true;
    });
  }

  /** Presses a button of the first row with `text` in that view; they show while the mouse is there. */
  async pressInRow(view, text, name) {
    await this.#untilCounts(`${name} in the row ${text}`, async () => {
      const row = this.viewRow(view, text).first();
      await row.hover({ timeout: 2000 });
      return this.#pressWhileThere(row.getByRole("button", { name }));
    });
  }

  /** Presses something in a list with the mouse, which must be at its place by then: rows move as others come and go. */
  async #pressWhileThere(target, options) {
    const { x, y, width, height } = (await target.boundingBox({ timeout: 2000 })) ?? {};
    const place = [x + width / 2, y + height / 2];
    const isThere = await target.evaluate((element, [left, top]) => element.contains(document.elementFromPoint(left, top)), place, { timeout: 2000 });
    if (isThere) await this.page.mouse.click(place[0], place[1], options);
    return isThere;
  }

  /** Presses a key in that view, which has the focus, until a row with `text` is in sight. */
  async untilRow(view, text, key) {
    await until(`a row ${text}`, async () => {
      if ((await this.viewRow(view, text).count()) > 0) return true;
      await this.page.keyboard.press(key);
      return false;
    });
  }

  /** Presses a button in the head of that view; they show while the mouse is there. */
  async pressInView(view, name) {
    const header = this.page.locator(`.pane-header[aria-label^="${view}"]`);
    await header.hover();
    await header.getByRole("button", { name }).click();
  }

  /** What is marked behind a file's name in the Explorer or on its tab, what that means, and the color of the name. */
  async mark(where, name) {
    const row = { Explorer: ".explorer-folders-view .monaco-list-row", tab: ".tabs-container .tab" }[where];
    const label = this.page.locator(`${row} .monaco-icon-label`, { has: this.page.getByText(name, { exact: true }) }).first();
    return label.evaluate((element) => ({
      badge: getComputedStyle(element, "::after").content.replaceAll(/^(none|normal)$|"/g, ""),
      meaning: element.getAttribute("aria-label")?.split(" • ")[1] ?? "",
      isColored: element.classList.contains("monaco-decoration-itemColor"),
    }));
  }

  /** Waits until a file's name is marked so; nothing stands for no mark. */
  async marked(where, name, badge = "", meaning = "") {
    let seen;
    await until(`the mark ${badge} on ${name}`, async () => {
      seen = await this.mark(where, name);
      return seen.badge === badge && seen.meaning === meaning && seen.isColored === (meaning !== "");
    }).catch((error) => {
      throw new Error(`${error.message}; there was ${JSON.stringify(seen)}`);
    });
  }

  /** Has the user in another program while `body` runs, as the page hears of it: a browser without a screen has none. */
  async inBackground(body) {
    const become = (isFocused) =>
      this.page.evaluate((isFocused) => {
        document.hasFocus = () => isFocused;
        document.dispatchEvent(new Event("visibilitychange"));
      }, isFocused);
    await become(false);
    await body().finally(() => become(true));
  }

  // --- the Refactor Preview ---------------------------------------------------------------------------------

  get preview() {
    return this.page.locator(".bulk-edit-panel");
  }

  /** Ticks the file, and with it all of its edits: the preview comes with none ticked. */
  async tickPreview() {
    const boxes = this.preview.locator(".edit-checkbox");
    await boxes.first().click();
    await until("every box is ticked", async () => {
      const ticked = await boxes.evaluateAll((all) => all.map((box) => box.getAttribute("aria-checked")));
      return ticked.every((one) => one === "true");
    });
  }

  previewButton(name) {
    return this.preview.locator(".monaco-button", { hasText: name });
  }
}
