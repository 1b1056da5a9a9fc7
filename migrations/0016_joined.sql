-- Media URLs that are one episode of a user (docs/protocol.md#D84).
CREATE TABLE `joined_episodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`media_id` integer NOT NULL,
	`state_action_id` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `joined_episodes_user` ON `joined_episodes` (`user_id`);--> statement-breakpoint
ALTER TABLE `user_episodes` ADD `joined_id` integer;--> statement-breakpoint
ALTER TABLE `user_episodes` ADD `is_guid_hidden` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `user_episodes_guid` ON `user_episodes` (`user_id`,`guid`) WHERE guid IS NOT NULL;--> statement-breakpoint
CREATE INDEX `user_episodes_joined` ON `user_episodes` (`joined_id`) WHERE joined_id IS NOT NULL;--> statement-breakpoint
-- What is one episode by what is known already: media URLs of one podcast with the same guid.
CREATE TABLE `old_names` AS
SELECT * FROM (
	SELECT ue.`id`, ue.`user_id`, e.`podcast_id`, ue.`guid`, ue.`episode_id`, ue.`last_action_id`, ue.`state_action_id`,
		ROW_NUMBER() OVER (PARTITION BY ue.`user_id`, ue.`guid` ORDER BY ue.`id`) AS `n`
	FROM (SELECT `user_id`, `guid` FROM `user_episodes` WHERE `guid` IS NOT NULL GROUP BY `user_id`, `guid` HAVING COUNT(*) > 1) d
	CROSS JOIN `user_episodes` ue ON ue.`user_id` = d.`user_id` AND ue.`guid` = d.`guid`
	CROSS JOIN `episodes` e ON e.`id` = ue.`episode_id`
) WHERE `n` <= 64;
--> statement-breakpoint
CREATE INDEX `old_names_name` ON `old_names` (`user_id`, `guid`, `podcast_id`);
--> statement-breakpoint
-- A guid that the feed uses for several episodes; the fingerprint of such an episode begins with a dot.
CREATE TABLE `shared_names` AS
SELECT DISTINCT o.`user_id`, o.`guid`, o.`podcast_id` FROM `old_names` o
CROSS JOIN `episode_details` d ON d.`episode_id` = o.`episode_id`
WHERE d.`guid` = o.`guid` AND d.`fingerprint` >= '.' AND d.`fingerprint` < '/';
--> statement-breakpoint
UPDATE `user_episodes` SET `is_guid_hidden` = 1 WHERE `id` IN (
	SELECT o.`id` FROM `old_names` o
	WHERE EXISTS (SELECT 1 FROM `old_names` x WHERE x.`user_id` = o.`user_id` AND x.`guid` = o.`guid` AND x.`podcast_id` <> o.`podcast_id`)
		OR (o.`user_id`, o.`guid`, o.`podcast_id`) IN (SELECT `user_id`, `guid`, `podcast_id` FROM `shared_names`)
);
--> statement-breakpoint
DELETE FROM `old_names` WHERE (`user_id`, `guid`, `podcast_id`) IN (SELECT `user_id`, `guid`, `podcast_id` FROM `shared_names`);
--> statement-breakpoint
INSERT INTO `joined_episodes` (`id`, `user_id`, `media_id`, `state_action_id`)
SELECT MIN(o.`id`), o.`user_id`,
	(SELECT m.`episode_id` FROM `old_names` m
		WHERE m.`user_id` = o.`user_id` AND m.`guid` = o.`guid` AND m.`podcast_id` = o.`podcast_id`
		ORDER BY m.`last_action_id` DESC LIMIT 1),
	(SELECT a.`id` FROM `old_names` m CROSS JOIN `episode_actions` a ON a.`id` = m.`state_action_id`
		WHERE m.`user_id` = o.`user_id` AND m.`guid` = o.`guid` AND m.`podcast_id` = o.`podcast_id`
		ORDER BY a.`kind` < 2 DESC, a.`at` DESC, a.`id` DESC LIMIT 1)
FROM `old_names` o GROUP BY o.`user_id`, o.`guid`, o.`podcast_id` HAVING COUNT(*) > 1;
--> statement-breakpoint
UPDATE `user_episodes` SET `joined_id` = j.`head` FROM (
	SELECT `id`, MIN(`id`) OVER w AS `head`, COUNT(*) OVER w AS `count` FROM `old_names`
	WINDOW w AS (PARTITION BY `user_id`, `guid`, `podcast_id`)
) j WHERE j.`count` > 1 AND j.`id` = `user_episodes`.`id`;
--> statement-breakpoint
DROP TABLE `old_names`;
--> statement-breakpoint
DROP TABLE `shared_names`;
