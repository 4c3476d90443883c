// The other tabs of this browser. A server keeps one connection per person, so a newer tab would end an older one.

/** Milliseconds that other tabs have for an answer. */
const WAIT = 150;

/** A tab that can be asked for, and told, the table it is connected at. */
export class Tabs {
  /**
   * @param {string} table the table of this tab
   * @param {() => string} connected what this tab's table is called while it is connected there; otherwise ""
   */
  constructor(table, connected) {
    this.table = table;
    this.channel = new BroadcastChannel("pokerd tables");
    /** @type {(name: string) => void} */
    this.found = () => {};
    this.channel.addEventListener("message", ({ data }) => {
      const { asks, at } = /** @type {{asks?: string, at?: string}} */ (data);
      const mine = asks === undefined || asks === table ? "" : connected();
      if (mine) this.channel.postMessage({ at: mine });
      if (at) this.found(at);
    });
  }

  /**
   * What the table is called where another tab is connected; "" when there is none but at this one.
   * @returns {Promise<string>}
   */
  elsewhere() {
    return new Promise((done) => {
      this.found = done;
      setTimeout(() => done(""), WAIT);
      this.channel.postMessage({ asks: this.table });
    });
  }
}
