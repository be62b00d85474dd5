-- How far this device has the changes of each peer: made with the exchange of changes.
SELECT 1;
