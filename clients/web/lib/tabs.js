// The other tabs of this browser. A server keeps one connection per person, so a newer tab would end an older one.

/** Milliseconds that other tabs have to answer. */
const WAIT = 150;

/** Tells other tabs the table that this one is connected to, and asks them for theirs. */
export class Tabs {
  /**
   * @param {string} table the table of this tab
   * @param {() => string} connectedTable the name of this tab's table while it is connected there; otherwise ""
   * @param {() => readonly string[]} tables those that this tab shows
   */
  constructor(table, connectedTable, tables = () => [table]) {
    this.table = table;
    this.channel = new BroadcastChannel("pokerd tables");
    /** @type {(name: string) => void} */
    this.onFound = () => {};
    /** The tables of the tab that answered. @type {readonly string[]} */
    this.others = [];
    this.channel.addEventListener("message", ({ data }) => {
      const { asks, at, shows = [] } = /** @type {{asks?: string, at?: string, shows?: string[]}} */ (data);
      const mine = asks === undefined || asks === table ? "" : connectedTable();
      if (mine) this.channel.postMessage({ at: mine, shows: tables() });
      if (!at) return;
      this.others = shows;
      this.onFound(at);
    });
  }

  /**
   * The name of another table that another tab is connected to; "" when there is none.
   * @returns {Promise<string>}
   */
  findOtherTable() {
    return new Promise((done) => {
      this.onFound = done;
      setTimeout(() => done(""), WAIT);
      this.channel.postMessage({ asks: this.table });
    });
  }
}
