ALTER TABLE `devices` ADD `last_contact_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `client` text;