ALTER TABLE `devices` ADD `has_sent` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- A device with subscriptions has sent them, or may have.
UPDATE devices SET has_sent = 1 WHERE id IN (SELECT device_id FROM subscriptions);
