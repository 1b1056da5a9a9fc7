ALTER TABLE `podcasts` ADD `was_hidden` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- A secret or blocked podcast is private unless all who have it publish it; any other is public unless all who have it hide it, or,
-- when nobody has it any more, one of those who had it did, whose account may be gone as well.
DROP VIEW `podcast_privacy`;--> statement-breakpoint
CREATE VIEW `podcast_privacy` AS
	SELECT p.id AS podcast_id, CASE
	    WHEN p.is_secret IS NOT 0 OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = p.id AND d.is_blocked = 1)
	      THEN NOT EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id)
	        OR EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id AND c.choice IS NOT 'true')
	    WHEN EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id)
	      THEN NOT EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id AND c.choice IS NOT 'false')
	    ELSE p.was_hidden = 1
	      OR EXISTS (SELECT 1 FROM listeners l JOIN settings s ON s.user_id = l.user_id AND s.scope = 'podcast' AND s.target = p.url
	                  WHERE l.podcast_id = p.id AND s.value -> '$.public_subscription' = 'false')
	  END AS is_private
	  FROM podcasts p;--> statement-breakpoint
-- Before the rows that tell whose they are, and what was to be known of them, have gone.
DROP TRIGGER `users_delete`;--> statement-breakpoint
CREATE TRIGGER `users_delete` BEFORE DELETE ON users BEGIN
	UPDATE podcasts SET was_hidden = 1
	 WHERE url IN (SELECT target FROM settings WHERE user_id = OLD.id AND scope = 'podcast' AND value -> '$.public_subscription' = 'false')
	   AND id IN (SELECT podcast_id FROM listeners WHERE user_id = OLD.id);
	DELETE FROM devices WHERE user_id = OLD.id;
END;
