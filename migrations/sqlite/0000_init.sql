CREATE TABLE `devices` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`uid` text NOT NULL,
	`caption` text NOT NULL,
	`type` text NOT NULL,
	`sync_group_id` integer,
	`created_at` integer NOT NULL,
	`last_contact_at` integer,
	`has_sent` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`sync_group_id`) REFERENCES `sync_groups`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `devices_user_uid` ON `devices` (`user_id`,`uid`);--> statement-breakpoint
CREATE INDEX `devices_sync_group` ON `devices` (`sync_group_id`);--> statement-breakpoint
CREATE TABLE `sync_groups` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sync_groups_user` ON `sync_groups` (`user_id`);--> statement-breakpoint
CREATE TABLE `app_passwords` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`password_hash` blob NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	`client` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `app_passwords_password_hash_unique` ON `app_passwords` (`password_hash`);--> statement-breakpoint
CREATE INDEX `app_passwords_user` ON `app_passwords` (`user_id`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text,
	`via` text NOT NULL,
	`action` text NOT NULL,
	`target` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_log_at` ON `audit_log` (`at`);--> statement-breakpoint
CREATE TABLE `identities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_issuer_subject` ON `identities` (`issuer`,`subject`);--> statement-breakpoint
CREATE UNIQUE INDEX `identities_user_issuer` ON `identities` (`user_id`,`issuer`);--> statement-breakpoint
CREATE TABLE `login_flows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`poll_hash` blob NOT NULL,
	`page_hash` blob NOT NULL,
	`user_agent` text NOT NULL,
	`expires_at` integer NOT NULL,
	`user_id` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `login_flows_poll_hash_unique` ON `login_flows` (`poll_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `login_flows_page_hash_unique` ON `login_flows` (`page_hash`);--> statement-breakpoint
CREATE INDEX `login_flows_expires` ON `login_flows` (`expires_at`);--> statement-breakpoint
CREATE INDEX `login_flows_user` ON `login_flows` (`user_id`) WHERE user_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `mails` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`purpose` text NOT NULL,
	`email_key` text NOT NULL,
	`language` text DEFAULT 'en' NOT NULL,
	`requested_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`last_error` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `mails_purpose_email` ON `mails` (`purpose`,`email_key`);--> statement-breakpoint
CREATE INDEX `mails_next_attempt` ON `mails` (`next_attempt_at`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` integer NOT NULL,
	`code_hash` blob NOT NULL,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `second_factors` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`secret` blob NOT NULL,
	`last_step` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`token_hash` blob NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`client` text,
	`app_password_id` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`app_password_id`) REFERENCES `app_passwords`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`,`used_at`);--> statement-breakpoint
CREATE INDEX `sessions_expires` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sessions_app_password` ON `sessions` (`app_password_id`) WHERE app_password_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`token_hash` blob NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_token_hash_unique` ON `tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `tokens_user` ON `tokens` (`user_id`,`purpose`);--> statement-breakpoint
CREATE INDEX `tokens_expires` ON `tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`username` text NOT NULL,
	`username_key` text NOT NULL,
	`email` text,
	`email_key` text,
	`password_hash` text,
	`is_admin` integer DEFAULT false NOT NULL,
	`state` text NOT NULL,
	`clock` integer DEFAULT 0 NOT NULL,
	`restored_clock` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`action_count` integer DEFAULT 0 NOT NULL,
	`subscription_count` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_key_unique` ON `users` (`username_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_key_unique` ON `users` (`email_key`);--> statement-breakpoint
CREATE INDEX `users_pending` ON `users` (`created_at`) WHERE state = 'pending_activation';--> statement-breakpoint
CREATE TABLE `chapters` (
	`user_id` integer NOT NULL,
	`target` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`label` text NOT NULL,
	`advertisement` integer NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`user_id`, `target`, `starts_at`, `ends_at`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `settings` (
	`user_id` integer NOT NULL,
	`scope` text NOT NULL,
	`target` text NOT NULL,
	`value` text NOT NULL,
	`favorite_at` integer,
	PRIMARY KEY(`user_id`, `scope`, `target`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `settings_favorite` ON `settings` (`user_id`,`favorite_at`) WHERE favorite_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `settings_episode` ON `settings` (`target`) WHERE scope = 'episode';--> statement-breakpoint
CREATE INDEX `settings_choice` ON `settings` (`target`) WHERE scope = 'podcast' AND value -> '$.public_subscription' IS NOT NULL;--> statement-breakpoint
CREATE TABLE `activity` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL,
	`kind` text NOT NULL,
	`reason` text,
	`device` text,
	`app` text,
	`is_browser` integer NOT NULL,
	`added` integer NOT NULL,
	`removed` integer NOT NULL,
	`items` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `activity_user` ON `activity` (`user_id`,kind = 'refused',`last_at`);--> statement-breakpoint
CREATE TABLE `list_change_starts` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `list_changes` (
	`user_id` integer NOT NULL,
	`id` integer NOT NULL,
	`at` integer NOT NULL,
	`device_id` integer,
	`kind` text NOT NULL,
	`app` text,
	`added` integer NOT NULL,
	`removed` integer NOT NULL,
	`changes` blob NOT NULL,
	`gone_device` text,
	PRIMARY KEY(`user_id`, `id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `directory_changes` (
	`podcast_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`subscribers` integer NOT NULL,
	PRIMARY KEY(`podcast_id`, `user_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `podcast_lists` (
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`feeds` integer NOT NULL,
	`created_at` integer NOT NULL,
	`urls` text NOT NULL,
	PRIMARY KEY(`user_id`, `name`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `podcast_tags` (
	`podcast_id` integer NOT NULL,
	`tag_id` integer NOT NULL,
	`is_listed` integer NOT NULL,
	`subscribers` integer NOT NULL,
	`sort_key` text NOT NULL,
	PRIMARY KEY(`podcast_id`, `tag_id`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `podcast_tags_order` ON `podcast_tags` (`tag_id`,`is_listed`,subscribers DESC,`sort_key`,`podcast_id`);--> statement-breakpoint
CREATE TABLE `search_documents` (
	`podcast_id` integer PRIMARY KEY NOT NULL,
	`document_id` integer NOT NULL,
	`fingerprint` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `search_words` (
	`word` text PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`usage` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_slug_unique` ON `tags` (`slug`);--> statement-breakpoint
CREATE INDEX `tags_usage` ON `tags` (`usage`,`slug`);--> statement-breakpoint
CREATE TABLE `upkeep` (
	`task` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `listeners` (
	`user_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	`devices` integer NOT NULL,
	PRIMARY KEY(`user_id`, `podcast_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `listeners_podcast` ON `listeners` (`podcast_id`);--> statement-breakpoint
CREATE TABLE `provisional_titles` (
	`user_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	`title` text NOT NULL,
	PRIMARY KEY(`user_id`, `podcast_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `provisional_titles_podcast` ON `provisional_titles` (`podcast_id`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`device_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	`subscribed` integer NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`device_id`, `podcast_id`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriptions_device_seq` ON `subscriptions` (`device_id`,`seq`);--> statement-breakpoint
CREATE TABLE `podcast_details` (
	`podcast_id` integer PRIMARY KEY NOT NULL,
	`is_blocked` integer NOT NULL,
	`title` text NOT NULL,
	`author` text NOT NULL,
	`website` text NOT NULL,
	`logo_url` text NOT NULL,
	`language` text NOT NULL,
	`tags` text NOT NULL,
	`guid` text NOT NULL,
	`funding_url` text NOT NULL,
	`description` text NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `podcasts` (
	`id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`created_at` integer NOT NULL,
	`etag` text,
	`last_modified` text,
	`body_hash` text,
	`checked_at` integer,
	`succeeded_at` integer,
	`next_check_at` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`error_reason` text,
	`error` text,
	`moved_to` text,
	`ttl` integer,
	`subscribers` integer DEFAULT 0 NOT NULL,
	`is_local` integer DEFAULT false NOT NULL,
	`is_private` integer DEFAULT true NOT NULL,
	`is_secret` integer,
	`subscribers_last_week` integer,
	`position_last_week` integer DEFAULT 0 NOT NULL,
	`probed_at` integer,
	`works_by_https` integer DEFAULT false NOT NULL,
	`was_hidden` integer DEFAULT false NOT NULL,
	`is_inside` integer DEFAULT false NOT NULL,
	`has_aliases` integer DEFAULT false NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `podcasts_url_unique` ON `podcasts` (`url`);--> statement-breakpoint
CREATE INDEX `podcasts_next_check` ON `podcasts` (`next_check_at`);--> statement-breakpoint
CREATE INDEX `podcasts_strangers` ON `podcasts` (`created_at`) WHERE is_local = 0;--> statement-breakpoint
CREATE INDEX `podcasts_last_week` ON `podcasts` (`position_last_week`) WHERE position_last_week > 0;--> statement-breakpoint
CREATE TABLE `subscriber_history` (
	`podcast_id` integer NOT NULL,
	`day` integer NOT NULL,
	`subscribers` integer NOT NULL,
	PRIMARY KEY(`podcast_id`, `day`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriber_history_day` ON `subscriber_history` (`day`);--> statement-breakpoint
CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`source` text NOT NULL,
	`label` text NOT NULL,
	`key` text NOT NULL,
	`state` text NOT NULL,
	`has_file` integer NOT NULL,
	`cursor` text,
	`report` text NOT NULL,
	`error` text DEFAULT '' NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `imports_user` ON `imports` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `imports_running` ON `imports` (`user_id`) WHERE state = 'running';--> statement-breakpoint
CREATE TABLE `action_devices` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`uid` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `action_devices_user_uid` ON `action_devices` (`user_id`,`uid`);--> statement-breakpoint
CREATE TABLE `action_hash` (
	`episode` integer NOT NULL,
	`device` integer NOT NULL,
	`kind` integer NOT NULL,
	`started` integer NOT NULL,
	`position` integer NOT NULL,
	`total` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `action_uploads` (
	`device_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`first_id` integer NOT NULL,
	`last_id` integer NOT NULL,
	PRIMARY KEY(`device_id`, `seq`, `first_id`),
	FOREIGN KEY (`device_id`) REFERENCES `action_devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `action_uploads_first` ON `action_uploads` (`device_id`,`first_id`);--> statement-breakpoint
CREATE TABLE `episode_actions` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`user_episode_id` integer NOT NULL,
	`device_id` integer NOT NULL,
	`previous_id` integer,
	`kind` integer NOT NULL,
	`at` integer NOT NULL,
	`hash` integer NOT NULL,
	`started` integer,
	`position` integer,
	`total` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `episode_actions_time` ON `episode_actions` (`user_id`,`at`,`hash`);--> statement-breakpoint
CREATE TABLE `joined_episodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`media_id` integer NOT NULL,
	`state_action_id` integer NOT NULL,
	`progress_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `joined_episodes_user` ON `joined_episodes` (`user_id`);--> statement-breakpoint
CREATE INDEX `joined_episodes_progress` ON `joined_episodes` (`user_id`,`progress_at`) WHERE progress_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `user_episodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`episode_id` integer NOT NULL,
	`guid` text,
	`is_former` integer DEFAULT false NOT NULL,
	`last_action_id` integer NOT NULL,
	`state_action_id` integer NOT NULL,
	`progress_at` integer,
	`joined_id` integer,
	`is_guid_hidden` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`episode_id`) REFERENCES `episodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `user_episodes_user_episode` ON `user_episodes` (`user_id`,`episode_id`,`is_former`);--> statement-breakpoint
CREATE INDEX `user_episodes_former` ON `user_episodes` (`user_id`,`episode_id`,`guid`) WHERE is_former = 1;--> statement-breakpoint
CREATE INDEX `user_episodes_episode` ON `user_episodes` (`episode_id`);--> statement-breakpoint
CREATE INDEX `user_episodes_guid` ON `user_episodes` (`user_id`,`guid`) WHERE guid IS NOT NULL;--> statement-breakpoint
CREATE INDEX `user_episodes_joined` ON `user_episodes` (`joined_id`) WHERE joined_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `user_episodes_progress` ON `user_episodes` (`user_id`,`progress_at`) WHERE progress_at IS NOT NULL AND joined_id IS NULL;--> statement-breakpoint
CREATE TABLE `episode_details` (
	`episode_id` integer PRIMARY KEY NOT NULL,
	`podcast_id` integer NOT NULL,
	`fingerprint` text NOT NULL,
	`title` text NOT NULL,
	`website` text NOT NULL,
	`released` integer,
	`guid` text NOT NULL,
	`duration` integer,
	`size` integer,
	`mime_type` text NOT NULL,
	`image_url` text NOT NULL,
	`chapters_url` text NOT NULL,
	`transcript_url` text NOT NULL,
	`season` integer,
	`is_explicit` integer DEFAULT false NOT NULL,
	`is_listed` integer DEFAULT true NOT NULL,
	`description` text NOT NULL,
	`chapters` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`episode_id`) REFERENCES `episodes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `episode_details_released` ON `episode_details` (`podcast_id`,`released`);--> statement-breakpoint
CREATE INDEX `episode_details_unlisted` ON `episode_details` (`podcast_id`) WHERE is_listed = 0;--> statement-breakpoint
CREATE TABLE `episodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`podcast_id` integer NOT NULL,
	`url` text NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `episodes_podcast_url` ON `episodes` (`podcast_id`,`url`);--> statement-breakpoint
CREATE TABLE `address_claims` (
	`podcast_id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`tried_at` integer,
	`is_true` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `address_claims_open` ON `address_claims` (`tried_at`) WHERE is_true = 0;--> statement-breakpoint
CREATE TABLE `address_edges` (
	`podcast_id` integer NOT NULL,
	`kind` text NOT NULL,
	`leads_to` integer NOT NULL,
	PRIMARY KEY(`podcast_id`, `kind`, `leads_to`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`leads_to`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `address_edges_leads_to` ON `address_edges` (`leads_to`);--> statement-breakpoint
CREATE TABLE `address_guids` (
	`podcast_id` integer NOT NULL,
	`guid` text NOT NULL,
	PRIMARY KEY(`podcast_id`, `guid`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `address_relations` (
	`podcast_id` integer NOT NULL,
	`other_id` integer NOT NULL,
	`relation` integer NOT NULL,
	PRIMARY KEY(`podcast_id`, `other_id`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `replaced_addresses` (
	`device_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	PRIMARY KEY(`device_id`, `podcast_id`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `replaced_addresses_podcast` ON `replaced_addresses` (`podcast_id`);--> statement-breakpoint
CREATE TABLE `webhook_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `webhooks`(`user_id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_messages_user` ON `webhook_messages` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_messages_created` ON `webhook_messages` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`event` text NOT NULL,
	`at` integer NOT NULL,
	`podcast_id` integer,
	`episode_id` integer,
	`device` text,
	FOREIGN KEY (`user_id`) REFERENCES `webhooks`(`user_id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_news_user` ON `webhook_news` (`user_id`,`event`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`format` text NOT NULL,
	`secret` text NOT NULL,
	`tells_episodes` integer NOT NULL,
	`tells_devices` integer NOT NULL,
	`tells_failures` integer NOT NULL,
	`off_reason` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer DEFAULT 0 NOT NULL,
	`delivered_at` integer,
	`failed_at` integer,
	`error` text,
	`dropped` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;--> statement-breakpoint
-- Secret factors of hashOf (src/store/sqlite/sync/actions/action-hash.ts).
INSERT INTO `action_hash` VALUES (random() & 1048575, random() & 1048575, random() & 1048575, random() & 1048575, random() & 1048575, random() & 1048575);--> statement-breakpoint
-- Is handed terms that are already cut and folded. Small pages and patient merging, so that no write takes long.
CREATE VIRTUAL TABLE `search_terms` USING fts5(
	terms, content='', contentless_delete=1, detail=none, prefix='1 2 3 4 5 6 7 8 9', tokenize='ascii'
);--> statement-breakpoint
INSERT INTO `search_terms` (`search_terms`, `rank`) VALUES ('pgsz', 1000), ('automerge', 8);--> statement-breakpoint
-- Triggers keep counters only, and hide what may have become private (docs/decisions.md).
CREATE TRIGGER `listeners_delete` AFTER DELETE ON listeners BEGIN
	INSERT INTO directory_changes (podcast_id, user_id, subscribers)
	  VALUES (OLD.podcast_id, OLD.user_id, CASE WHEN OLD.devices > 0 THEN -1 ELSE 0 END
	          * EXISTS (SELECT 1 FROM users u WHERE u.id = OLD.user_id AND u.state = 'active'))
	  ON CONFLICT (podcast_id, user_id) DO UPDATE SET subscribers = directory_changes.subscribers + excluded.subscribers;
	UPDATE podcasts SET is_private = 1 WHERE id = OLD.podcast_id AND is_private = 0
	   AND (is_secret IS NOT 0 OR was_hidden = 1
	        OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
	        OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL));
END;--> statement-breakpoint
CREATE TRIGGER `listeners_insert` AFTER INSERT ON listeners BEGIN
	INSERT INTO directory_changes (podcast_id, user_id, subscribers)
	  VALUES (NEW.podcast_id, NEW.user_id, CASE WHEN NEW.devices > 0 THEN 1 ELSE 0 END
	          * EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.user_id AND u.state = 'active'))
	  ON CONFLICT (podcast_id, user_id) DO UPDATE SET subscribers = directory_changes.subscribers + excluded.subscribers;
	UPDATE podcasts SET is_private = 1 WHERE id = NEW.podcast_id AND is_private = 0
	   AND (is_secret IS NOT 0 OR was_hidden = 1
	        OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
	        OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL));
END;--> statement-breakpoint
CREATE TRIGGER `listeners_update` AFTER UPDATE OF devices ON listeners WHEN (NEW.devices > 0) <> (OLD.devices > 0) BEGIN
	INSERT INTO directory_changes (podcast_id, user_id, subscribers)
	  VALUES (NEW.podcast_id, NEW.user_id, CASE WHEN NEW.devices > 0 THEN 1 ELSE -1 END
	          * EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.user_id AND u.state = 'active'))
	  ON CONFLICT (podcast_id, user_id) DO UPDATE SET subscribers = directory_changes.subscribers + excluded.subscribers;
	UPDATE podcasts SET is_private = 1 WHERE id = NEW.podcast_id AND is_private = 0
	   AND (is_secret IS NOT 0 OR was_hidden = 1
	        OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
	        OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL));
END;--> statement-breakpoint
-- Subscriptions refer to podcasts without a foreign key.
CREATE TRIGGER `podcasts_delete` BEFORE DELETE ON podcasts
	WHEN EXISTS (SELECT 1 FROM listeners l WHERE l.podcast_id = OLD.id) BEGIN
	SELECT RAISE(ABORT, 'a podcast with listeners cannot be removed');
END;--> statement-breakpoint
CREATE TRIGGER `podcasts_hidden` AFTER UPDATE OF is_private ON podcasts WHEN NEW.is_private = 1 AND OLD.is_private = 0 BEGIN
	UPDATE tags SET usage = usage - 1
	 WHERE id IN (SELECT t.tag_id FROM podcast_tags t WHERE t.podcast_id = NEW.id AND t.is_listed = 1);
	UPDATE podcast_tags SET is_listed = 0 WHERE podcast_id = NEW.id AND is_listed = 1;
END;--> statement-breakpoint
CREATE TRIGGER `subscriptions_delete` AFTER DELETE ON subscriptions WHEN OLD.subscribed = 1 BEGIN
	UPDATE listeners SET devices = devices - 1
	 WHERE podcast_id = OLD.podcast_id AND user_id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
	UPDATE users SET subscription_count = subscription_count - 1
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
END;--> statement-breakpoint
CREATE TRIGGER `subscriptions_insert` AFTER INSERT ON subscriptions BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices)
	  SELECT d.user_id, NEW.podcast_id, NEW.subscribed FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = listeners.devices + excluded.devices;
	UPDATE users SET subscription_count = subscription_count + NEW.subscribed
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
CREATE TRIGGER `subscriptions_update` AFTER UPDATE OF subscribed ON subscriptions WHEN NEW.subscribed <> OLD.subscribed BEGIN
	UPDATE listeners SET devices = devices + NEW.subscribed - OLD.subscribed
	 WHERE podcast_id = NEW.podcast_id AND user_id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
	UPDATE users SET subscription_count = subscription_count + NEW.subscribed - OLD.subscribed
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;
