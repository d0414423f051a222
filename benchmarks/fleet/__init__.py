"""The same deploy by edgeops, by Ansible and by plain pyinfra, on simulated hosts of this machine, in turns."""
