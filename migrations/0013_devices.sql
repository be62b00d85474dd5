-- The devices of a space and whom this one is paired with: made with the links between them.
SELECT 1;
