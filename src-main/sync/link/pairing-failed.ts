import { explainFailure, type PairingFailure } from '#shared/sync/pairing/failures.ts';

/** Pairing failed. Nothing was shared. */
export class PairingFailed extends Error {
  readonly why: PairingFailure;

  constructor(why: PairingFailure) {
    super(explainFailure(why));
    this.name = 'PairingFailed';
    this.why = why;
  }
}
