// Data attributes for elements whose role differs from their look. The palette reads them.

/** A link styled as a button. */
export const ACTS_AS_BUTTON = 'data-acts';
/** A button that only makes its tooltip focusable. */
export const ONLY_EXPLAINS = 'data-explains';
