// Files as a zip archive, without compression: bots are small. Source: PKWARE's APPNOTE.TXT 6.3.10, 4.3.

import { _ } from "../lib/language.js";

/** @typedef {{path: string, bytes: Uint8Array}} Entry */

const TABLE = Uint32Array.from({ length: 256 }, (each, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** Names are in UTF-8; the date is the first that the format knows. */
const UTF8 = 0x0800;
const FIRST_DAY = 0x21;

/**
 * @param {readonly Entry[]} entries
 * @returns {Blob}
 */
export function zipFiles(entries) {
  /** @type {BlobPart[]} */
  const local = [];
  /** @type {BlobPart[]} */
  const central = [];
  let offset = 0;
  let centralSize = 0;
  for (const { path, bytes } of entries) {
    const name = new TextEncoder().encode(path);
    const facts = [20, UTF8, 0, 0, FIRST_DAY, crc32(bytes), bytes.length, bytes.length, name.length, 0];
    const head = record(0x04034b50, [2, 2, 2, 2, 2, 4, 4, 4, 2, 2], facts);
    local.push(head, name, bytes.slice());
    const entry = record(0x02014b50, [2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4], [20, ...facts, 0, 0, 0, 0, offset]);
    central.push(entry, name);
    offset += head.length + name.length + bytes.length;
    centralSize += entry.length + name.length;
  }
  const end = record(0x06054b50, [2, 2, 2, 2, 4, 4, 2], [0, 0, entries.length, entries.length, centralSize, offset, 0]);
  return new Blob([...local, ...central, end], { type: "application/zip" });
}

/**
 * A signature and little-endian numbers of these sizes in bytes.
 * @param {number} signature
 * @param {readonly number[]} sizes
 * @param {readonly number[]} values
 */
function record(signature, sizes, values) {
  const bytes = new Uint8Array(4 + sizes.reduce((sum, size) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, signature, true);
  let at = 4;
  sizes.forEach((size, index) => {
    if (size === 4) view.setUint32(at, values[index] ?? 0, true);
    else view.setUint16(at, values[index] ?? 0, true);
    at += size;
  });
  return bytes;
}

const LEFT_OUT = new Set(["__pycache__", ".git", ".venv", "node_modules", ".DS_Store"]);
const ARCHIVE = /\.(zip|tar|tar\.gz|tgz)$/i;

/**
 * What is sent of dropped or picked files: an archive as it is, anything else as a zip.
 * @param {readonly {path: string, file: File}[]} files
 * @returns {Promise<Blob>}
 */
export async function packFiles(files) {
  const wanted = files.filter(({ path }) => !path.split("/").some((part) => LEFT_OUT.has(part)));
  const [first] = wanted;
  if (!first) throw new Error(_("There are no files to send."));
  if (wanted.length === 1 && ARCHIVE.test(first.path)) return first.file;
  // A folder that holds everything is left out: its content is the bot.
  const top = first.path.includes("/") ? `${first.path.split("/")[0]}/` : "";
  const prefix = wanted.every(({ path }) => path.startsWith(top)) ? top.length : 0;
  return zipFiles(await Promise.all(wanted.map(async ({ path, file }) => (
    { path: path.slice(prefix), bytes: new Uint8Array(await file.arrayBuffer()) }))));
}

/**
 * The files of a drop, those in folders too.
 * @param {DataTransfer} dropped
 */
export async function droppedFiles(dropped) {
  // Asked for before anything is awaited: afterwards the browser has forgotten them.
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return (await Promise.all(entries.map(filesOf))).flat();
}

/**
 * @param {FileSystemEntry} entry
 * @returns {Promise<{path: string, file: File}[]>}
 */
async function filesOf(entry) {
  if (entry.isFile) {
    const file = await new Promise((done, fail) => /** @type {FileSystemFileEntry} */ (entry).file(done, fail));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(filesOf))).flat();
}
