#!/bin/bash
# What installing, upgrading and restoring have in common.

add_config() {
	mkdir -p "/etc/$app"
	ynh_config_add --template="config.toml" --destination="/etc/$app/config.toml"
	chown "root:$app" "/etc/$app/config.toml"
	# The settings may hold passwords.
	chmod 640 "/etc/$app/config.toml"
}

add_service() {
	yunohost service add "$app" --description="Podcast sync server"
}

own_files() {
	chown -R "root:$app" "$install_dir"
	chmod 750 "$install_dir" "$install_dir/podstep"
	chown -R "$app:$app" "$data_dir"
	chmod 700 "$data_dir"
}
