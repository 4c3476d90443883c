// The other tabs of this browser. A server keeps one connection per person, so a newer tab would end an older one.

/** Milliseconds that other tabs have to answer. */
const WAIT = 150;

/** Tells other tabs the table that this one is connected to, and asks them for theirs. */
export class Tabs {
  /**
   * @param {string} table the table of this tab
   * @param {() => string} connectedTable the name of this tab's table while it is connected there; otherwise ""
   */
  constructor(table, connectedTable) {
    this.table = table;
    this.channel = new BroadcastChannel("pokerd tables");
    /** @type {(name: string) => void} */
    this.onFound = () => {};
    this.channel.addEventListener("message", ({ data }) => {
      const { asks, at } = /** @type {{asks?: string, at?: string}} */ (data);
      const mine = asks === undefined || asks === table ? "" : connectedTable();
      if (mine) this.channel.postMessage({ at: mine });
      if (at) this.onFound(at);
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
