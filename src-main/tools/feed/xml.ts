// Parses untrusted XML. Entities defined by the document are never expanded, nothing is fetched,
// and names and depth are bounded.
import { XMLParser } from 'fast-xml-parser';

/** Text, or children and attributes (`@name`) by local name; repeated names become a list. */
export type XmlNode = string | XmlElement;
export interface XmlElement {
  readonly [name: string]: XmlNode | readonly XmlNode[];
}

const MAX_DEPTH = 50;

export class XmlUnreadable extends Error {}

export function parseXml(text: string): XmlElement {
  try {
    return parser.parse(text) as XmlElement;
  } catch (error) {
    throw new XmlUnreadable('it is not well-formed XML', { cause: error });
  }
}

/** Decodes bytes by the charset of the header, the byte order mark or the document. */
export function decodeXml(body: Buffer, contentType: string | undefined): string {
  const declared =
    /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1] ??
    /^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding=["']([\w-]+)/.exec(
      body.subarray(0, 200).toString('latin1'),
    )?.[1];
  try {
    return new TextDecoder(markOf(body) ?? declared ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function markOf(body: Buffer): string | null {
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xff && body[1] === 0xfe ? 'utf-16le' : null;
}

const PREDEFINED: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi,
    (whole, dec, hex, name) => {
      if (typeof name === 'string')
        return Object.hasOwn(PREDEFINED, name) ? (PREDEFINED[name] ?? whole) : whole;
      const code = typeof dec === 'string' ? Number(dec) : Number.parseInt(String(hex), 16);
      const isText = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isText ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
  // A decoder of our own, because the library's accepts entities that the document defines.
  entityDecoder: {
    decode: decodeEntities,
    setExternalEntities: () => {},
    addInputEntities: () => {},
    reset: () => {},
    setXmlVersion: () => {},
  },
});
