// Thrown when a call needs a secret that is not on this device.
export class SecretMissing extends Error {
  readonly secretName: string;

  constructor(secretName: string, what = `The secret "${secretName}" is not on this device.`) {
    super(`${what} Add it with: holdfast secret set ${secretName}`);
    this.name = 'SecretMissing';
    this.secretName = secretName;
  }
}
