// Ids as people read them: enough to tell apart, with the whole one on hover.

export const shortId = (id: string): string => id.slice(0, 8);
