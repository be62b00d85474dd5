// Normalizes RSS 2.0, RSS 1.0 and Atom.
import type { XmlElement, XmlNode } from '#main/tools/feed/xml.ts';
import { MAX_FEED_TEXT } from '#main/tools/limits.ts';
import { sha256Hex } from '#shared/ids.ts';

export type FeedEntry = {
  /** The feed's own id, or one derived from the entry's content. */
  id: string;
  title: string;
  link: string | null;
  publishedAt: string | null;
  summary: string;
  author: string | null;
};

export interface Feed {
  readonly title: string;
  readonly link: string | null;
  readonly entries: readonly FeedEntry[];
}

/** Null when the document is not a feed. */
export function readFeed(document: XmlElement, base: URL): Feed | null {
  const rss = elementOf(document['rss']);
  const channel = rss && elementOf(rss['channel']);
  if (channel) return feedOf(channel, all(channel['item']), base);
  const rdf = elementOf(document['rdf:RDF'] ?? document['RDF']);
  if (rdf) return feedOf(elementOf(rdf['channel']) ?? {}, all(rdf['item']), base);
  const atom = elementOf(document['feed'] ?? document['atom:feed']);
  return atom ? feedOf(atom, all(atom['entry'] ?? atom['atom:entry']), base) : null;
}

function feedOf(head: XmlElement, items: readonly XmlNode[], base: URL): Feed {
  const entries = new Map<string, FeedEntry>();
  for (const item of items) {
    const entry = entryOf(elementOf(item) ?? {}, base);
    // A duplicate id is an error of the feed; the first entry is the newer one.
    if (!entries.has(entry.id)) entries.set(entry.id, entry);
  }
  return { title: text(head, 'title'), link: linkOf(head, base), entries: [...entries.values()] };
}

function entryOf(item: XmlElement, base: URL): FeedEntry {
  const link = linkOf(item, base);
  const entry = {
    title: text(item, 'title'),
    link,
    publishedAt: timeOf(text(item, 'pubDate', 'published', 'dc:date', 'updated', 'atom:updated')),
    summary: text(item, 'description', 'summary', 'content:encoded', 'content'),
    author: authorOf(item),
  };
  const id = text(item, 'guid', 'id', 'atom:id', '@rdf:about') || link;
  return { id: id ?? sha256Hex(JSON.stringify(entry)), ...entry };
}

function authorOf(item: XmlElement): string | null {
  const person = elementOf(first(item['author']));
  return (person ? text(person, 'name', 'email') : text(item, 'author', 'dc:creator')) || null;
}

/** RSS: the text of `link`. Atom: the `href` of the link without another relation. */
function linkOf(item: XmlElement, base: URL): string | null {
  const links = all(item['link'] ?? item['atom:link']);
  const chosen = links.find((node) => {
    const relation = elementOf(node)?.['@rel'];
    return relation === undefined || relation === 'alternate';
  });
  if (chosen === undefined) return null;
  const href = elementOf(chosen)?.['@href'];
  const url = URL.parse(typeof href === 'string' ? href : textOf(chosen), base);
  return url && /^https?:$/.test(url.protocol) ? url.href.slice(0, MAX_FEED_TEXT) : null;
}

/** A time without a zone counts as UTC, so every device reads the same time. */
function timeOf(given: string): string | null {
  const hasZone = /(?:Z|[A-Z]{1,5}|[+-]\d{2}:?\d{2})\s*(?:\([^)]*\))?$/i.test(given);
  const isDay = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/.test(given);
  const time = Date.parse(
    hasZone || isDay ? given : `${given}${given.includes('T') ? 'Z' : ' UTC'}`,
  );
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Text of the first of these children or attributes that has any. */
function text(element: XmlElement, ...names: readonly string[]): string {
  for (const name of names) {
    const found = first(element[name]);
    const content = found === undefined ? '' : textOf(found).trim();
    if (content !== '') return content.slice(0, MAX_FEED_TEXT).toWellFormed();
  }
  return '';
}

/** All text of a node in document order, because Atom titles can be XHTML. */
function textOf(node: XmlNode | readonly XmlNode[]): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return node.map((one) => textOf(one as XmlNode)).join(' ');
  return Object.entries(node as XmlElement)
    .filter(([name]) => !name.startsWith('@'))
    .map(([, child]) => textOf(child))
    .join(' ');
}

function all(node: XmlNode | readonly XmlNode[] | undefined): readonly XmlNode[] {
  if (node === undefined) return [];
  return Array.isArray(node) ? (node as readonly XmlNode[]) : [node as XmlNode];
}

function first(node: XmlNode | readonly XmlNode[] | undefined): XmlNode | undefined {
  return all(node)[0];
}

function elementOf(node: XmlNode | readonly XmlNode[] | undefined): XmlElement | undefined {
  const found = first(node);
  return typeof found === 'object' ? found : undefined;
}
