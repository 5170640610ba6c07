# A shop on AWS: a balancer before two machines before a database.
variable "office" {
  default = "198.51.100.0/24"
}

variable "monitoring" {}

resource "aws_subnet" "front" {
  cidr_block              = "10.0.1.0/24"
  map_public_ip_on_launch = true
}

resource "aws_subnet" "back" {
  cidr_block = "10.0.2.0/24"
}

resource "aws_security_group" "balancer" {
  name = "balancer"
  ingress {
    from_port   = 443
    to_port     = 443
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_security_group" "web" {
  name = "web"
  ingress {
    from_port       = 8080
    to_port         = 8080
    protocol        = "tcp"
    security_groups = [aws_security_group.balancer.id]
  }
  ingress {
    from_port   = 9100
    to_port     = 9100
    protocol    = "tcp"
    cidr_blocks = [var.monitoring]
  }
  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_security_group" "db" {
  name = "db"
}

resource "aws_security_group_rule" "db_from_web" {
  type                     = "ingress"
  security_group_id        = aws_security_group.db.id
  source_security_group_id = aws_security_group.web.id
  protocol                 = "tcp"
  from_port                = 5432
  to_port                  = 5432
}

resource "aws_lb" "shop" {
  name            = "shop"
  subnets         = [aws_subnet.front.id]
  security_groups = [aws_security_group.balancer.id]
}

resource "aws_instance" "web" {
  count                  = 2
  subnet_id              = aws_subnet.back.id
  vpc_security_group_ids = [aws_security_group.web.id]
  tags = {
    Name = "web"
  }
}

resource "aws_instance" "bastion" {
  subnet_id              = aws_subnet.front.id
  vpc_security_group_ids = [aws_security_group.bastion.id]
}

resource "aws_security_group" "bastion" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = [var.office]
  }
}

resource "aws_db_instance" "orders" {
  engine                 = "postgres"
  vpc_security_group_ids = [aws_security_group.db.id]
}
