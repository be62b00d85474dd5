// The self-signed certificate that carries a device's key in TLS. The peer checks only the key, so
// the other fields are constant and the certificate never expires.
import { randomBytes, sign, type KeyObject } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const VERSION = 0xa0;

const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const SUBJECT = 'Holdfast device';
/** Early, so that a wrong clock can't prevent a connection. */
const NOT_BEFORE = '20000101000000Z';
/** The RFC 5280 value for no expiration date. */
const NOT_AFTER = '99991231235959Z';

export function selfSign(publicKey: KeyObject, privateKey: KeyObject): string {
  const algorithm = der(SEQUENCE, der(OBJECT_ID, ECDSA_WITH_SHA256));
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8_STRING, Buffer.from(SUBJECT)))),
  );
  const validity = der(SEQUENCE, time(NOT_BEFORE), time(NOT_AFTER));
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serialNumber()),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', content, privateKey);
  const wholeBytes = Buffer.from([0]);
  return toPem(der(SEQUENCE, content, algorithm, der(BIT_STRING, wholeBytes, signature)));
}

/** Positive and not zero, as X.509 requires. */
function serialNumber(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}

function time(text: string): Buffer {
  return der(GENERALIZED_TIME, Buffer.from(text));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
